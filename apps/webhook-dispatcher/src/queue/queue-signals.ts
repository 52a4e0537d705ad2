import { Wake } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** Wakes the worker of due deliveries in this process, so that it need not wait for its next look. */
@Injectable()
export class SubscriptionQueueSignal extends Wake {}

/** Wakes the worker that orders deliveries: a partition has grown, or its head has ended. */
@Injectable()
export class DeliveryOrderSignal extends Wake {}
