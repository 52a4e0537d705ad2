import { Module } from '@nestjs/common';
import { TenantModule } from '../../accounts/tenant/tenant.module.js';
import { UserModule } from '../../accounts/user/user.module.js';
import { CallerService } from './caller.service.js';

/** Describes the current user. */
@Module({
  imports: [TenantModule, UserModule],
  providers: [CallerService],
  exports: [CallerService],
})
export class CallerModule {}
