import { Global, Module } from '@nestjs/common';
import { AuditRetentionSweeper } from './audit-retention.sweeper.js';
import { AuditTrail } from './audit-trail.service.js';
import { RefusedActs } from './refused-acts.js';

/** Writing to the audit trail, which nearly every noun does. */
@Global()
@Module({ providers: [AuditRetentionSweeper, AuditTrail, RefusedActs], exports: [AuditTrail, RefusedActs] })
export class AuditTrailModule {}
