import type { SealedColumn } from '@crm/encryption';
import { contextOfWebhookSecret } from './credentials/webhook-secret.service.js';

/** What this service seals with its encryption keys, so that it can be sealed again with another one. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'app_webhook_secret',
    column: 'sealed',
    key: { column: 'app_key', type: 'text' },
    reach: 'global',
    context: ({ key }) => contextOfWebhookSecret(key),
  },
];
