import { CONSUMERS, type EventEnvelope } from '@crm/contracts';
import { type EventContext, EventHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AUDITED_EVENTS, entryOf } from './audit-event.js';
import { AuditTrail } from './audit-trail.service.js';

/** Acts of other services, by the events that tell of them. */
@Controller()
export class AuditEventConsumer {
  constructor(private readonly trail: AuditTrail) {}

  @EventHandler(CONSUMERS.identity, AUDITED_EVENTS)
  async onAct(@Payload() event: EventEnvelope, @Ctx() { tx }: EventContext): Promise<void> {
    this.trail.record(tx, entryOf(event));
  }
}
