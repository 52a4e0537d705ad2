import { CONSUMERS, type EventEnvelope } from '@crm/contracts';
import { type EventContext, EventHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { Verdict } from './verdict.mail.js';
import { VerdictService } from './verdict.service.js';

/** What operators decide on submissions and published apps. */
@Controller()
export class VerdictConsumer {
  constructor(private readonly verdicts: VerdictService) {}

  @EventHandler(CONSUMERS.identity, ['submission.decided'])
  async onDecided(@Payload() event: EventEnvelope, @Ctx() { tx }: EventContext): Promise<void> {
    await this.verdicts.send(tx, event.data as Verdict);
  }
}
