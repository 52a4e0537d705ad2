import { Module } from '@nestjs/common';
import { AuditEventConsumer } from './audit-event.consumer.js';

/** What other services did, in the audit trail. */
@Module({ controllers: [AuditEventConsumer] })
export class AuditEventModule {}
