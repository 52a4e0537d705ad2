import { Database, DueWorkMeter } from '@crm/database';
import { Module } from '@nestjs/common';
import { QueueModule } from '../queue/queue.module.js';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module.js';
import { AppLedgerRpc } from './app-ledger.rpc.js';
import { BoundedReads } from './bounded-reads.js';
import { ErasedRecords } from './erased-records.js';
import { DeliveryController, DeliveryStatsController } from './ledger.controller.js';
import { LedgerRepository } from './ledger.repository.js';
import { LedgerService } from './ledger.service.js';
import { LedgerWriter } from './ledger-writer.js';
import { LedgerWriterRepository } from './ledger-writer.repository.js';
import { RecoveryController } from './recovery.controller.js';
import { MEASURE_DUE_RECOVERIES, RecoveryRepository } from './recovery.repository.js';
import { RecoveryService, RecoverySignal } from './recovery.service.js';
import { RecoveryWorker } from './recovery.worker.js';

const DUE_RECOVERIES_METER = Symbol('webhook-dispatcher:due-recoveries-meter');

@Module({
  imports: [QueueModule, SubscriptionsModule],
  controllers: [AppLedgerRpc, DeliveryStatsController, DeliveryController, RecoveryController],
  providers: [
    BoundedReads,
    ErasedRecords,
    LedgerRepository,
    LedgerService,
    LedgerWriter,
    LedgerWriterRepository,
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
  exports: [ErasedRecords, LedgerRepository, LedgerWriter],
})
export class LedgerModule {}
