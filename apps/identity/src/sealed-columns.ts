import type { SealedColumn } from '@crm/encryption';
import { contextOfMail } from './mail/mail-seal.js';
import { contextOfAuthenticator } from './second-factor/authenticator.service.js';
import { contextOfSigningKey } from './sessions/signing-key.service.js';
import { contextOfProviderSecret } from './single-sign-on/identity-provider.service.js';
import { contextOfVerifier } from './single-sign-on/provider-sign-in.service.js';

const OF_ID = { column: 'id', type: 'uuid' } as const;

/** What this service seals with its encryption keys. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'signing_key',
    column: 'sealed_private_jwk',
    key: { column: 'kid', type: 'text' },
    reach: 'global',
    context: ({ key }) => contextOfSigningKey(key),
  },
  ofTenant('authenticator', 'sealed_secret', contextOfAuthenticator, { column: 'user_id', type: 'uuid' }),
  ofTenant('mail', 'sealed_body', (_, id) => contextOfMail(id)),
  ofTenant('identity_provider', 'sealed_secret', contextOfProviderSecret),
  ofTenant('provider_sign_in', 'sealed_verifier', contextOfVerifier),
];

function ofTenant(
  table: string,
  column: string,
  context: (tenantId: string, key: string) => string,
  key: SealedColumn['key'] = OF_ID,
): SealedColumn {
  return { table, column, key, reach: 'tenant', context: (row) => context(row.tenantId, row.key) };
}
