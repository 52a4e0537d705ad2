import { AppSecret } from './app-secret/app-secret.entity.js';
import { Subscription } from './subscription/subscription.entity.js';

/** Everything that TypeORM maps; deliveries, attempts and queues are reached by hand-written SQL (see README). */
export const entities = [AppSecret, Subscription];
