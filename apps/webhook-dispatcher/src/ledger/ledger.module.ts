import { Database, DueWorkMeter } from '@crm/database';
import { Module } from '@nestjs/common';
import { QueueModule } from '../queue/queue.module.js';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module.js';
import { AppLedgerRepository } from './app-ledger.repository.js';
import { AppLedgerRpc } from './app-ledger.rpc.js';
import { AppLedgerService } from './app-ledger.service.js';
import { BoundedReads } from './bounded-reads.js';
import { DeliveryController } from './delivery.controller.js';
import { DeliveryRepository } from './delivery.repository.js';
import { DeliveryService } from './delivery.service.js';
import { DeliveryStatsController } from './delivery-stats.controller.js';
import { DeliveryStatsRepository } from './delivery-stats.repository.js';
import { DeliveryStatsService } from './delivery-stats.service.js';
import { LedgerWriter } from './ledger-writer.js';
import { LedgerWriterRepository } from './ledger-writer.repository.js';
import { RecoveryController } from './recovery.controller.js';
import { MEASURE_DUE_RECOVERIES, RecoveryRepository } from './recovery.repository.js';
import { RecoveryService } from './recovery.service.js';
import { RecoverySignal } from './recovery.signal.js';
import { RecoveryWorker } from './recovery.worker.js';

const DUE_RECOVERIES_METER = Symbol('webhook-dispatcher:due-recoveries-meter');

@Module({
  imports: [SubscriptionsModule, QueueModule],
  controllers: [AppLedgerRpc, DeliveryStatsController, DeliveryController, RecoveryController],
  providers: [
    AppLedgerRepository,
    AppLedgerService,
    BoundedReads,
    DeliveryStatsRepository,
    DeliveryStatsService,
    DeliveryRepository,
    DeliveryService,
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
  exports: [LedgerWriter],
})
export class LedgerModule {}
