import { Module } from '@nestjs/common';
import { RecordLineModule } from '../record-line/record-line.module.js';
import { SubscriptionQueueModule } from '../subscription-queue/subscription-queue.module.js';
import { DeliveryController } from './delivery.controller.js';
import { DeliveryRepository } from './delivery.repository.js';
import { DeliveryService } from './delivery.service.js';

@Module({
  imports: [RecordLineModule, SubscriptionQueueModule],
  controllers: [DeliveryController],
  providers: [DeliveryRepository, DeliveryService],
})
export class DeliveryModule {}
