import { Module } from '@nestjs/common';
import { SubscriptionQueueModule } from '../subscription-queue/subscription-queue.module.js';
import { DeliveryController } from './delivery.controller.js';
import { DeliveryRepository } from './delivery.repository.js';
import { DeliveryService } from './delivery.service.js';

@Module({
  imports: [SubscriptionQueueModule],
  controllers: [DeliveryController],
  providers: [DeliveryRepository, DeliveryService],
})
export class DeliveryModule {}
