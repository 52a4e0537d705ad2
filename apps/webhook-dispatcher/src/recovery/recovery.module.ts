import { Database, DueWorkMeter } from '@crm/database';
import { Module } from '@nestjs/common';
import { HoldingModule } from '../holding/holding.module.js';
import { RecordLineModule } from '../record-line/record-line.module.js';
import { SubscriptionModule } from '../subscription/subscription.module.js';
import { SubscriptionQueueModule } from '../subscription-queue/subscription-queue.module.js';
import { RecoveryController } from './recovery.controller.js';
import { RecoveryRepository } from './recovery.repository.js';
import { RecoveryService } from './recovery.service.js';
import { RecoverySignal } from './recovery.signal.js';
import { MEASURE_DUE_RECOVERIES } from './recovery.sql.js';
import { RecoveryWorker } from './recovery.worker.js';

const DUE_RECOVERIES_METER = Symbol('webhook-dispatcher:due-recoveries-meter');

@Module({
  imports: [HoldingModule, RecordLineModule, SubscriptionModule, SubscriptionQueueModule],
  controllers: [RecoveryController],
  providers: [
    RecoveryRepository,
    RecoveryService,
    RecoverySignal,
    RecoveryWorker,
    {
      provide: DUE_RECOVERIES_METER,
      useFactory: (database: Database) => new DueWorkMeter(database, 'recoveries', MEASURE_DUE_RECOVERIES),
      inject: [Database],
    },
  ],
})
export class RecoveryModule {}
