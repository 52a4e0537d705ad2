import { CONSUMERS, type EventEnvelope } from '@crm/contracts';
import { type EventContext, EventHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { RunService } from './run.service.js';

/** Events start the workflows that wait for them. */
@Controller()
export class RunConsumer {
  constructor(private readonly runs: RunService) {}

  @EventHandler(CONSUMERS['automation-hooks'], 'all')
  async onEvent(@Payload() event: EventEnvelope, @Ctx() { tx }: EventContext): Promise<void> {
    await this.runs.acceptEvent(tx, event);
  }
}
