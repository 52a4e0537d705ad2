import { Module } from '@nestjs/common';
import { TenantModule } from '../people/tenant.module.js';
import { UserModule } from '../people/user.module.js';
import { CallerService } from './caller.service.js';

/** Describes the current user. */
@Module({
  imports: [TenantModule, UserModule],
  providers: [CallerService],
  exports: [CallerService],
})
export class CallerModule {}
