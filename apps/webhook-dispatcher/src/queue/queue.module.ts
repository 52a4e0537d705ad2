import { Module } from '@nestjs/common';
import { DeliveryOrderRepository } from './delivery-order.repository.js';
import { DeliveryOrderSignal } from './delivery-order.signal.js';
import { DeliveryOrderSweeper } from './delivery-order.sweeper.js';
import { DeliveryOrderWorker } from './delivery-order.worker.js';
import { DiscardedHoldSweeper } from './discarded-hold.sweeper.js';
import { HoldRepository } from './hold.repository.js';
import { HoldRecountSweeper } from './hold-recount.sweeper.js';
import { SubscriptionQueueSignal } from './queue-signals.js';
import { SubscriptionQueueRepository } from './subscription-queue.repository.js';
import { SubscriptionQueueSweeper } from './subscription-queue.sweeper.js';

@Module({
  providers: [
    DiscardedHoldSweeper,
    HoldRepository,
    HoldRecountSweeper,
    DeliveryOrderRepository,
    DeliveryOrderSignal,
    DeliveryOrderSweeper,
    DeliveryOrderWorker,
    SubscriptionQueueRepository,
    SubscriptionQueueSignal,
    SubscriptionQueueSweeper,
  ],
  exports: [
    HoldRepository,
    DeliveryOrderRepository,
    DeliveryOrderSignal,
    SubscriptionQueueRepository,
    SubscriptionQueueSignal,
  ],
})
export class QueueModule {}
