import { Module } from '@nestjs/common';
import { DeliveryOrderRepository } from './delivery-order.repository.js';
import { DeliveryOrderWorker, OrderedDemand } from './delivery-order.worker.js';
import { HoldRepository } from './hold.repository.js';
import {
  DeliveryOrderSweeper,
  DiscardedHoldSweeper,
  HoldRecountSweeper,
  SubscriptionQueueSweeper,
} from './queue.sweepers.js';
import { DeliveryOrderSignal, SubscriptionQueueSignal } from './queue-signals.js';
import { SubscriptionQueueRepository } from './subscription-queue.repository.js';

const STORES = [DeliveryOrderRepository, HoldRepository, SubscriptionQueueRepository];
const SIGNALS = [DeliveryOrderSignal, SubscriptionQueueSignal];
const SWEEPERS = [DeliveryOrderSweeper, DiscardedHoldSweeper, HoldRecountSweeper, SubscriptionQueueSweeper];

/** Deliveries that wait: in the queue of their subscription, for earlier ones of their record, or held. */
@Module({
  providers: [...STORES, ...SIGNALS, ...SWEEPERS, DeliveryOrderWorker, OrderedDemand],
  exports: [...STORES, ...SIGNALS, OrderedDemand],
})
export class QueueModule {}
