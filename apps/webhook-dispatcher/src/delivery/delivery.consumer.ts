import { CONSUMERS, type EventEnvelope } from '@crm/contracts';
import { type EventContext, EventHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { DeliveryService } from './delivery.service.js';

/** Gets every event of the platform and writes deliveries for those that have subscriptions. */
@Controller()
export class DeliveryConsumer {
  constructor(private readonly deliveries: DeliveryService) {}

  @EventHandler(CONSUMERS['webhook-dispatcher'], 'all')
  async onEvent(@Payload() event: EventEnvelope, @Ctx() { tx }: EventContext): Promise<void> {
    await this.deliveries.fanOut(tx, event);
  }
}
