import { Module } from '@nestjs/common';
import { HoldingModule } from '../holding/holding.module.js';
import { RecordLineModule } from '../record-line/record-line.module.js';
import { SubscriptionModule } from '../subscription/subscription.module.js';
import { SubscriptionQueueModule } from '../subscription-queue/subscription-queue.module.js';
import { DeliveryController } from './delivery.controller.js';
import { DeliveryRepository } from './delivery.repository.js';
import { DeliveryService } from './delivery.service.js';

@Module({
  imports: [HoldingModule, RecordLineModule, SubscriptionModule, SubscriptionQueueModule],
  controllers: [DeliveryController],
  providers: [DeliveryRepository, DeliveryService],
})
export class DeliveryModule {}
