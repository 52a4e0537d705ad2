import { Module } from '@nestjs/common';
import { HoldingModule } from '../holding/holding.module.js';
import { RecordLineModule } from '../record-line/record-line.module.js';
import { SubscriptionQueueModule } from '../subscription-queue/subscription-queue.module.js';
import { Recorder } from './recorder.js';
import { RecordingRepository } from './recording.repository.js';

@Module({
  imports: [HoldingModule, RecordLineModule, SubscriptionQueueModule],
  providers: [Recorder, RecordingRepository],
  exports: [Recorder],
})
export class RecordingModule {}
