import type { SealedColumn } from '@crm/encryption';
import { placeOfMail } from './mail/mail.repository.js';
import { placeOfSigningKey } from './sessions/signing-key.service.js';
import { placeOfAuthenticator } from './sign-in/authenticator.service.js';
import { placeOfProviderSecret } from './single-sign-on/identity-provider.service.js';
import { placeOfVerifier } from './single-sign-on/provider-sign-in.service.js';

const OF_ID = { column: 'id', type: 'uuid' } as const;

/** What this service seals with its encryption keys. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'signing_key',
    column: 'sealed_private_jwk',
    key: { column: 'kid', type: 'text' },
    reach: 'global',
    place: ({ key }) => placeOfSigningKey(key),
  },
  ofTenant('authenticator', 'sealed_secret', placeOfAuthenticator, { column: 'user_id', type: 'uuid' }),
  ofTenant('mail', 'sealed_body', (_, id) => placeOfMail(id)),
  ofTenant('identity_provider', 'sealed_secret', placeOfProviderSecret),
  ofTenant('provider_sign_in', 'sealed_verifier', placeOfVerifier),
];

function ofTenant(
  table: string,
  column: string,
  place: (tenantId: string, key: string) => string,
  key: SealedColumn['key'] = OF_ID,
): SealedColumn {
  return { table, column, key, reach: 'tenant', place: (row) => place(row.tenantId, row.key) };
}
