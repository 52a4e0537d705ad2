import { Module } from '@nestjs/common';
import { SubscriptionQueueModule } from '../subscription-queue/subscription-queue.module.js';
import { Recorder } from './recorder.js';
import { RecordingRepository } from './recording.repository.js';

@Module({ imports: [SubscriptionQueueModule], providers: [Recorder, RecordingRepository], exports: [Recorder] })
export class RecordingModule {}
