import { DATABASES } from '@crm/contracts';
import { Webhooks1763700000000 } from './1763700000000-webhooks.js';
import { SubscriptionQueues1763700000001 } from './1763700000001-subscription-queues.js';
import { DeadLetter1763700000002 } from './1763700000002-dead-letter.js';

export const databaseRoles = DATABASES['webhook-dispatcher'];
export const migrations = [Webhooks1763700000000, SubscriptionQueues1763700000001, DeadLetter1763700000002];
