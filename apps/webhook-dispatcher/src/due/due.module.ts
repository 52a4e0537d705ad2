import { Module } from '@nestjs/common';
import { HoldingModule } from '../holding/holding.module.js';
import { ReceiverModule } from '../receiver/receiver.module.js';
import { RecordingModule } from '../recording/recording.module.js';
import { SendingModule } from '../sending/sending.module.js';
import { SubscriptionQueueModule } from '../subscription-queue/subscription-queue.module.js';
import { DueDeliveryRepository } from './due-delivery.repository.js';
import { DueDeliveryWorker } from './due-delivery.worker.js';
import { DueHolder } from './due-holder.js';

@Module({
  imports: [HoldingModule, ReceiverModule, RecordingModule, SendingModule, SubscriptionQueueModule],
  providers: [DueDeliveryRepository, DueDeliveryWorker, DueHolder],
})
export class DueModule {}
