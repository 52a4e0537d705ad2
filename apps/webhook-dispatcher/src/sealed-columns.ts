import type { SealedColumn } from '@crm/encryption';
import { contextOfHeaders } from './subscriptions/custom-headers.js';
import { contextOfSecret } from './subscriptions/signature.js';

const subscription = (column: string, context: (subscriptionId: string) => string): SealedColumn => ({
  table: 'webhook_subscription',
  column,
  key: { column: 'id', type: 'uuid' },
  reach: 'tenant',
  context: ({ key }) => context(key),
});

const app = (column: string): SealedColumn => ({
  table: 'app_secret',
  column,
  key: { column: 'app_key', type: 'text' },
  reach: 'global',
  context: ({ key }) => contextOfSecret({ appKey: key }),
});

/** The sealed columns of this service, which a change of the encryption key seals again. */
export const sealedColumns: readonly SealedColumn[] = [
  subscription('secret', (subscriptionId) => contextOfSecret({ subscriptionId })),
  subscription('previous_secret', (subscriptionId) => contextOfSecret({ subscriptionId })),
  subscription('headers', contextOfHeaders),
  app('secret'),
  app('previous_secret'),
];
