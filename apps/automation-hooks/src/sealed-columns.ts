import type { SealedColumn } from '@crm/encryption';
import { placeOfHookSecret } from './hook/hook.service.js';

/** What this service seals with its encryption keys, so that it can be sealed again with another one. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'hook_secret',
    column: 'sealed',
    key: { column: 'workflow_id', type: 'uuid' },
    reach: 'tenant',
    place: ({ key, tenantId }) => placeOfHookSecret(tenantId, key),
  },
];
