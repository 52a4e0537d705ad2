import { Global, Module } from '@nestjs/common';
import { AuditEventConsumer } from './audit-event.consumer.js';
import { AuditLogController } from './audit-log.controller.js';
import { AuditLogRepository } from './audit-log.repository.js';
import { AuditLogService } from './audit-log.service.js';
import { AuditRetentionSweeper } from './audit-retention.sweeper.js';
import { AuditTrail } from './audit-trail.service.js';
import { RecordedActRpc } from './recorded-act.rpc.js';
import { RefusedActs } from './refused-acts.js';

@Global()
@Module({
  controllers: [AuditEventConsumer, AuditLogController, RecordedActRpc],
  providers: [AuditLogRepository, AuditLogService, AuditRetentionSweeper, AuditTrail, RefusedActs],
  exports: [AuditLogRepository, AuditTrail, RefusedActs],
})
export class AuditModule {}
