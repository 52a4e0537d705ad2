import { RevocationSource } from '@crm/access';
import { Database, DueWorkMeter } from '@crm/database';
import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { ReceiversModule } from '../receivers/receivers.module.js';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module.js';
import { AttemptSlots, SlowAttempts } from './attempt-slots.js';
import { DueDeliveryRepository, measureDueDeliveries } from './due-delivery.repository.js';
import { BacklogHolder, DueDeliveryWorker } from './due-delivery.worker.js';
import { FanOutConsumer, FanOutService } from './fan-out.service.js';
import { Sender } from './sender.js';

const DUE_DELIVERIES_METER = Symbol('webhook-dispatcher:due-deliveries-meter');

/** From an event to its attempts. */
@Module({
  imports: [LedgerModule, QueueModule, ReceiversModule, SubscriptionsModule],
  controllers: [FanOutConsumer],
  providers: [
    AttemptSlots,
    BacklogHolder,
    DueDeliveryRepository,
    DueDeliveryWorker,
    FanOutService,
    Sender,
    SlowAttempts,
    {
      provide: DUE_DELIVERIES_METER,
      useFactory: (database: Database, revocations: RevocationSource) =>
        new DueWorkMeter(database, 'deliveries', measureDueDeliveries, () => [revocations.suspendedTenants()]),
      inject: [Database, RevocationSource],
    },
  ],
  exports: [FanOutService, Sender],
})
export class DeliveryModule {}
