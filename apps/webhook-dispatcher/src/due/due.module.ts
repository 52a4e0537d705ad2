import { RevocationSource } from '@crm/access';
import { Database, DueWorkMeter } from '@crm/database';
import { Module } from '@nestjs/common';
import { HoldingModule } from '../holding/holding.module.js';
import { ReceiverModule } from '../receiver/receiver.module.js';
import { RecordingModule } from '../recording/recording.module.js';
import { SendingModule } from '../sending/sending.module.js';
import { SubscriptionQueueModule } from '../subscription-queue/subscription-queue.module.js';
import { DueDeliveryRepository } from './due-delivery.repository.js';
import { MEASURE_DUE_DELIVERIES } from './due-delivery.sql.js';
import { DueDeliveryWorker } from './due-delivery.worker.js';
import { DueHolder } from './due-holder.js';

const DUE_DELIVERIES_METER = Symbol('webhook-dispatcher:due-deliveries-meter');

@Module({
  imports: [HoldingModule, ReceiverModule, RecordingModule, SendingModule, SubscriptionQueueModule],
  providers: [
    DueDeliveryRepository,
    DueDeliveryWorker,
    DueHolder,
    {
      provide: DUE_DELIVERIES_METER,
      useFactory: (database: Database, revocations: RevocationSource) =>
        new DueWorkMeter(database, 'deliveries', MEASURE_DUE_DELIVERIES, () => [revocations.suspendedTenants()]),
      inject: [Database, RevocationSource],
    },
  ],
})
export class DueModule {}
