import { CONSUMERS, type EventEnvelope } from '@crm/contracts';
import { type EventContext, EventHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { DisabledEndpoint } from './endpoint-notice.mail.js';
import { EndpointNoticeService, VerdictService } from './notice.service.js';
import type { Verdict } from './verdict.mail.js';

@Controller()
export class EndpointNoticeConsumer {
  constructor(private readonly notices: EndpointNoticeService) {}

  @EventHandler(CONSUMERS.identity, ['webhook.endpoint_disabled'])
  async onDisabled(@Payload() event: EventEnvelope, @Ctx() { tx }: EventContext): Promise<void> {
    await this.notices.send(tx, event.data as DisabledEndpoint);
  }
}

@Controller()
export class VerdictConsumer {
  constructor(private readonly verdicts: VerdictService) {}

  @EventHandler(CONSUMERS.identity, ['submission.decided'])
  async onDecided(@Payload() event: EventEnvelope, @Ctx() { tx }: EventContext): Promise<void> {
    await this.verdicts.send(tx, event.data as Verdict);
  }
}
