import { DATABASES } from '@crm/contracts';
import { Webhooks1763700000000 } from './1763700000000-webhooks.js';
import { EventTraces1795600000001 } from './1795600000001-event-traces.js';
import { EncryptionKeys1795800000501 } from './1795800000501-encryption-keys.js';
import { RemovedSubscriptions1795800001501 } from './1795800001501-removed-subscriptions.js';

export const databaseRoles = DATABASES['webhook-dispatcher'];
export const migrations = [
  Webhooks1763700000000,
  EventTraces1795600000001,
  EncryptionKeys1795800000501,
  RemovedSubscriptions1795800001501,
];
