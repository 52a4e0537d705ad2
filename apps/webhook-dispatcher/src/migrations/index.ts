import { DATABASES } from '@crm/contracts';
import { Webhooks1763700000000 } from './1763700000000-webhooks.js';

export const databaseRoles = DATABASES['webhook-dispatcher'];
export const migrations = [Webhooks1763700000000];
