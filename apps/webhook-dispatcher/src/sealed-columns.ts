import type { SealedColumn } from '@crm/encryption';
import { placeOfHeaders } from './subscriptions/custom-headers.js';
import { placeOfSecret } from './subscriptions/signature.js';

const subscription = (column: string, place: (subscriptionId: string) => string): SealedColumn => ({
  table: 'webhook_subscription',
  column,
  key: { column: 'id', type: 'uuid' },
  reach: 'tenant',
  place: ({ key }) => place(key),
});

const app = (column: string): SealedColumn => ({
  table: 'app_secret',
  column,
  key: { column: 'app_key', type: 'text' },
  reach: 'global',
  place: ({ key }) => placeOfSecret({ appKey: key }),
});

/** The sealed columns of this service, which a change of the encryption key seals again. */
export const sealedColumns: readonly SealedColumn[] = [
  subscription('secret', (subscriptionId) => placeOfSecret({ subscriptionId })),
  subscription('previous_secret', (subscriptionId) => placeOfSecret({ subscriptionId })),
  subscription('headers', placeOfHeaders),
  app('secret'),
  app('previous_secret'),
];
