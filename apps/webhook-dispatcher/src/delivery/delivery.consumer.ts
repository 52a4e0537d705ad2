import { CONSUMERS, type EventEnvelope } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { EventHandler } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { DeliveryService } from './delivery.service.js';

/** Every event of the platform comes by here; those somebody subscribed to become deliveries. */
@Injectable()
export class DeliveryConsumer {
  constructor(private readonly deliveries: DeliveryService) {}

  @EventHandler(CONSUMERS['webhook-dispatcher'], 'all')
  async onEvent(event: EventEnvelope, tx: TenantTransaction): Promise<void> {
    await this.deliveries.fanOut(tx, event);
  }
}
