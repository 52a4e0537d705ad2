import { Module } from '@nestjs/common';
import { SubscriptionQueueRepository } from './subscription-queue.repository.js';
import { SubscriptionQueueSignal } from './subscription-queue.signal.js';
import { SubscriptionQueueSweeper } from './subscription-queue.sweeper.js';

@Module({
  providers: [SubscriptionQueueRepository, SubscriptionQueueSignal, SubscriptionQueueSweeper],
  exports: [SubscriptionQueueRepository, SubscriptionQueueSignal],
})
export class SubscriptionQueueModule {}
