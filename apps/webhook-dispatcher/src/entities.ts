import { AppSecret } from './subscriptions/app-secret.entity.js';
import { RemovedSubscription } from './subscriptions/removed-subscription.entity.js';
import { Subscription } from './subscriptions/subscription.entity.js';

/** Everything that TypeORM maps; deliveries, attempts and queues are reached by hand-written SQL (see README). */
export const entities = [AppSecret, RemovedSubscription, Subscription];
