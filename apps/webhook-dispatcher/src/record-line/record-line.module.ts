import { Module } from '@nestjs/common';
import { SubscriptionQueueModule } from '../subscription-queue/subscription-queue.module.js';
import { RecordLineRepository } from './record-line.repository.js';
import { RecordLineSignal } from './record-line.signal.js';
import { RecordLineSweeper } from './record-line.sweeper.js';
import { RecordLineWorker } from './record-line.worker.js';

@Module({
  imports: [SubscriptionQueueModule],
  providers: [RecordLineRepository, RecordLineSignal, RecordLineSweeper, RecordLineWorker],
  exports: [RecordLineRepository, RecordLineSignal],
})
export class RecordLineModule {}
