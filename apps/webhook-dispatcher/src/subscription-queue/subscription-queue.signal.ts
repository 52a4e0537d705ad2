import { Wake } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** Tells the worker of this process that a queue is due, so that it need not wait for its next look. */
@Injectable()
export class SubscriptionQueueSignal extends Wake {}
