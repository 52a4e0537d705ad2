import type { UrlVerdict } from '@crm/address-policy';
import { EgressError } from '@crm/egress';
import { ClientError, ResponseBodyError, type ServerMetadata, WWWAuthenticateChallengeError } from 'openid-client';

/** A provider that could not be used: what is wrong with it, in a sentence that may be shown to the workspace. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
}

/** Says in a sentence why a call of the protocol library failed. @param error what it threw */
export function asProviderFailure(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  const egress = causes(error).find((cause) => cause instanceof EgressError);
  if (egress) return new ProviderFailure(`The provider could not be called: ${egress.message}`, { cause: error });
  if (error instanceof ResponseBodyError) {
    return new ProviderFailure(`The provider answered ${plain(error.error)}`, { cause: error });
  }
  if (error instanceof WWWAuthenticateChallengeError) {
    return new ProviderFailure('The provider did not accept the client', { cause: error });
  }
  if (error instanceof ClientError) {
    const detail = error.cause instanceof Error ? `: ${plain(error.cause.message)}` : '';
    return new ProviderFailure(`The provider gave an invalid answer (${plain(error.message)}${detail})`, {
      cause: error,
    });
  }
  throw error;
}

function causes(error: unknown): unknown[] {
  const found: unknown[] = [];
  for (let cause = error; cause instanceof Error && found.length < 5; cause = cause.cause) found.push(cause);
  return found;
}

/** What a provider says is shown short and without what could be more than words. */
const plain = (text: string): string => text.replace(/[^\w .,"'()-]+/g, ' ').slice(0, 200);

/** Key pairs only: with a shared secret's algorithm the public key could pass for the secret; `none` is no signature. */
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
