import { CONSUMERS, type EventEnvelope } from '@crm/contracts';
import { type EventReceipt, IdempotentEventHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { FanOutService } from './fan-out.service.js';

/** Gets every event of the platform. */
@Controller()
export class FanOutConsumer {
  constructor(private readonly fanOut: FanOutService) {}

  @IdempotentEventHandler(CONSUMERS['webhook-dispatcher'], 'all')
  async onEvent(@Payload() event: EventEnvelope, @Ctx() receipt: EventReceipt): Promise<void> {
    const { deliveryCount, streamSequence } = receipt;
    await this.fanOut.handle(event, { isRepeated: deliveryCount !== 1, streamSequence });
  }
}
