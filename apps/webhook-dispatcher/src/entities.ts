import { AppSecret } from './app-secret/app-secret.entity.js';
import { RemovedSubscription } from './removed-subscription/removed-subscription.entity.js';
import { Subscription } from './subscription/subscription.entity.js';

/** Everything that TypeORM maps; deliveries, attempts and queues are reached by hand-written SQL (see README). */
export const entities = [AppSecret, RemovedSubscription, Subscription];
