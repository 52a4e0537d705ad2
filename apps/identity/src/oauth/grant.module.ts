import { Module } from '@nestjs/common';
import { RevocationModule } from '../sessions/revocation.module.js';
import { GrantService } from './grant.service.js';
import { GrantRecordModule } from './grant-record.module.js';

/** What apps may do for users. */
@Module({
  imports: [RevocationModule, GrantRecordModule],
  providers: [GrantService],
  exports: [GrantRecordModule, GrantService],
})
export class GrantModule {}
