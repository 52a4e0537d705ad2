import { Module } from '@nestjs/common';
import { AppSecretModule } from '../app-secret/app-secret.module.js';
import { OutsideModule } from '../outside/outside.module.js';
import { SigningSecretModule } from '../signing-secret/signing-secret.module.js';
import { SubscriptionModule } from '../subscription/subscription.module.js';
import { SubscriptionQueueModule } from '../subscription-queue/subscription-queue.module.js';
import { DeliveryConsumer } from './delivery.consumer.js';
import { DeliveryController } from './delivery.controller.js';
import { DeliveryRepository } from './delivery.repository.js';
import { DeliverySender } from './delivery.sender.js';
import { DeliveryService } from './delivery.service.js';
import { DeliveryWorker } from './delivery.worker.js';
import { DueDeliveryRepository } from './due-delivery.repository.js';

@Module({
  imports: [AppSecretModule, OutsideModule, SigningSecretModule, SubscriptionModule, SubscriptionQueueModule],
  controllers: [DeliveryController, DeliveryConsumer],
  providers: [DeliveryRepository, DeliverySender, DeliveryService, DeliveryWorker, DueDeliveryRepository],
})
export class DeliveryModule {}
