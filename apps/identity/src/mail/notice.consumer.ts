import { CONSUMERS, type EventEnvelope } from '@crm/contracts';
import { type EventContext, EventHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { DisabledEndpoint, Verdict } from './notice.mail.js';
import { NoticeService } from './notice.service.js';

@Controller()
export class NoticeConsumer {
  constructor(private readonly notices: NoticeService) {}

  @EventHandler(CONSUMERS.identity, ['webhook.endpoint_disabled'])
  async onDisabled(@Payload() event: EventEnvelope, @Ctx() { tx }: EventContext): Promise<void> {
    await this.notices.tellOfEndpoint(tx, event.data as DisabledEndpoint);
  }

  @EventHandler(CONSUMERS.identity, ['submission.decided'])
  async onDecided(@Payload() event: EventEnvelope, @Ctx() { tx }: EventContext): Promise<void> {
    await this.notices.tellOfVerdict(tx, event.data as Verdict);
  }
}
