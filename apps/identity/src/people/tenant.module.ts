import { Module } from '@nestjs/common';
import { TenantRepository } from './tenant.repository.js';
import { TenantRpc } from './tenant.rpc.js';
import { TenantService } from './tenant.service.js';

/** Tenants and their plans. */
@Module({
  controllers: [TenantRpc],
  providers: [TenantRepository, TenantService],
  exports: [TenantRepository, TenantService],
})
export class TenantModule {}
