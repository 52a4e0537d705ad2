import { RevocationSource } from '@crm/access';
import { Database, DueWorkMeter } from '@crm/database';
import { Module } from '@nestjs/common';
import { LedgerModule } from '../ledger/ledger.module.js';
import { QueueModule } from '../queue/queue.module.js';
import { ReceiversModule } from '../receivers/receivers.module.js';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module.js';
import { AttemptSlots } from './attempt-slots.js';
import { BacklogHolder } from './backlog-holder.js';
import { DueDeliveryRepository, MEASURE_DUE_DELIVERIES } from './due-delivery.repository.js';
import { DueDeliveryWorker } from './due-delivery.worker.js';
import { FanOutConsumer } from './fan-out.consumer.js';
import { FanOutService } from './fan-out.service.js';
import { KnownDeliveryRepository } from './known-delivery.repository.js';
import { Sender } from './sender.js';
import { SlowAttempts } from './slow-attempts.js';

const DUE_DELIVERIES_METER = Symbol('webhook-dispatcher:due-deliveries-meter');

@Module({
  imports: [QueueModule, ReceiversModule, LedgerModule, SubscriptionsModule],
  controllers: [FanOutConsumer],
  providers: [
    DueDeliveryRepository,
    DueDeliveryWorker,
    BacklogHolder,
    {
      provide: DUE_DELIVERIES_METER,
      useFactory: (database: Database, revocations: RevocationSource) =>
        new DueWorkMeter(database, 'deliveries', MEASURE_DUE_DELIVERIES, () => [revocations.suspendedTenants()]),
      inject: [Database, RevocationSource],
    },
    FanOutService,
    KnownDeliveryRepository,
    AttemptSlots,
    Sender,
    SlowAttempts,
  ],
  exports: [FanOutService, Sender],
})
export class DeliveryModule {}
