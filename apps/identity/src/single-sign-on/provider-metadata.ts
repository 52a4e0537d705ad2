import type { UrlVerdict } from '@crm/address-policy';
import type { ServerMetadata } from 'openid-client';
import { ProviderFailure } from './provider-failure.js';

/**
 * Signatures of id tokens that are accepted: by a key pair only. With an algorithm of a shared secret the public key could be
 * taken for the secret, and `none` is no signature.
 */
export const SIGNATURE_ALGORITHMS: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

/**
 * What a provider says of itself, as it is relied on: its addresses may be called, and its algorithms are accepted ones.
 * @param checkUrl the address policy
 * @throws ProviderFailure with the first thing that is wrong
 */
export function checkedMetadata(metadata: ServerMetadata, checkUrl: (url: string) => UrlVerdict): ServerMetadata {
  for (const name of ENDPOINTS) {
    if (typeof metadata[name] !== 'string') throw new ProviderFailure(`The provider does not say its ${name}`);
  }
  for (const name of [...ENDPOINTS, 'userinfo_endpoint'] as const) {
    const url = metadata[name];
    const verdict = url === undefined ? undefined : checkUrl(String(url));
    if (verdict?.ok === false) {
      throw new ProviderFailure(`The ${name} of the provider is refused: ${verdict.message}`);
    }
  }
  const types = metadata.response_types_supported;
  if (Array.isArray(types) && !types.includes('code')) {
    throw new ProviderFailure('The provider does not support the authorization code flow (response type "code")');
  }
  const said = metadata.id_token_signing_alg_values_supported;
  const algorithms = Array.isArray(said) ? said.filter((one) => SIGNATURE_ALGORITHMS.includes(one)) : ['RS256'];
  if (algorithms.length === 0) {
    throw new ProviderFailure(`The provider signs with none of ${SIGNATURE_ALGORITHMS.join(', ')}`);
  }
  return { ...metadata, id_token_signing_alg_values_supported: algorithms };
}
