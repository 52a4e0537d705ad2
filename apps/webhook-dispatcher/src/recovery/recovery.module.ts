import { Module } from '@nestjs/common';
import { HoldingModule } from '../holding/holding.module.js';
import { RecordLineModule } from '../record-line/record-line.module.js';
import { SubscriptionModule } from '../subscription/subscription.module.js';
import { SubscriptionQueueModule } from '../subscription-queue/subscription-queue.module.js';
import { RecoveryController } from './recovery.controller.js';
import { RecoveryRepository } from './recovery.repository.js';
import { RecoveryService } from './recovery.service.js';
import { RecoverySignal } from './recovery.signal.js';
import { RecoveryWorker } from './recovery.worker.js';

@Module({
  imports: [HoldingModule, RecordLineModule, SubscriptionModule, SubscriptionQueueModule],
  controllers: [RecoveryController],
  providers: [RecoveryRepository, RecoveryService, RecoverySignal, RecoveryWorker],
})
export class RecoveryModule {}
