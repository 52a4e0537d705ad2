import { Module } from '@nestjs/common';
import { ReceiverModule } from '../receiver/receiver.module.js';
import { RecordingModule } from '../recording/recording.module.js';
import { SendingModule } from '../sending/sending.module.js';
import { SubscriptionQueueModule } from '../subscription-queue/subscription-queue.module.js';
import { DueDeliveryRepository } from './due-delivery.repository.js';
import { DueDeliveryWorker } from './due-delivery.worker.js';

@Module({
  imports: [ReceiverModule, RecordingModule, SendingModule, SubscriptionQueueModule],
  providers: [DueDeliveryRepository, DueDeliveryWorker],
})
export class DueModule {}
