import { DATABASES } from '@crm/contracts';
import { Webhooks1763700000000 } from './1763700000000-webhooks.js';
import { EventTraces1795600000001 } from './1795600000001-event-traces.js';

export const databaseRoles = DATABASES['webhook-dispatcher'];
export const migrations = [Webhooks1763700000000, EventTraces1795600000001];
