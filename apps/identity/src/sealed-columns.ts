import type { SealedColumn } from '@crm/encryption';
import { placeOfMail } from './mail/mail.repository.js';
import { placeOfSigningKey } from './sessions/signing-key.service.js';
import { placeOfAuthenticator } from './sign-in/authenticator.service.js';
import { placeOfProviderSecret } from './single-sign-on/identity-provider.service.js';
import { placeOfVerifier } from './single-sign-on/provider-sign-in.service.js';

export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'signing_key',
    column: 'sealed_private_jwk',
    key: { column: 'kid', type: 'text' },
    reach: 'global',
    place: ({ key }) => placeOfSigningKey(key),
  },
  {
    table: 'authenticator',
    column: 'sealed_secret',
    key: { column: 'user_id', type: 'uuid' },
    reach: 'tenant',
    place: ({ key, tenantId }) => placeOfAuthenticator(tenantId, key),
  },
  {
    table: 'mail',
    column: 'sealed_body',
    key: { column: 'id', type: 'uuid' },
    reach: 'tenant',
    place: ({ key }) => placeOfMail(key),
  },
  {
    table: 'identity_provider',
    column: 'sealed_secret',
    key: { column: 'id', type: 'uuid' },
    reach: 'tenant',
    place: ({ key, tenantId }) => placeOfProviderSecret(tenantId, key),
  },
  {
    table: 'provider_sign_in',
    column: 'sealed_verifier',
    key: { column: 'id', type: 'uuid' },
    reach: 'tenant',
    place: ({ key, tenantId }) => placeOfVerifier(tenantId, key),
  },
];
