import type { UrlVerdict } from '@crm/address-policy';
import { EgressError } from '@crm/egress';
import { ClientError, ResponseBodyError, type ServerMetadata, WWWAuthenticateChallengeError } from 'openid-client';

/**
 * `unavailable`: it is down, by what can be seen from here, and may be there again; `refused`: it answers an error of the
 * protocol; `invalid`: its answer or its settings cannot be accepted; `returned`: a browser came back with an error, which anybody can
 * claim.
 */
export const FAILURE_CODES = ['unavailable', 'refused', 'invalid', 'returned'] as const;

/** Why a provider failed, as its owners read it. */
export interface FailureReason {
  code: (typeof FAILURE_CODES)[number];
  /** The status of its answer; null without one. */
  httpStatus: number | null;
  /** What the provider says of an error (RFC 6749, section 5.2), cleaned. */
  error: string | null;
  description: string | null;
}

const NO_DETAILS: FailureReason = { code: 'invalid', httpStatus: null, error: null, description: null };

/** A provider that could not be used: what is wrong with it, in a sentence that may be shown to the workspace. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  readonly reason: FailureReason;

  constructor(message: string, { cause, ...reason }: Partial<FailureReason> & { cause?: unknown } = {}) {
    super(message, { cause });
    this.reason = { ...NO_DETAILS, ...reason };
  }
}

/** The codes of OAuth 2.0 (RFC 6749, section 4.1.2.1) and OpenID Connect Core, section 3.1.2.6. */
const ERRORS_OF_RETURNS: readonly string[] = [
  ...['invalid_request', 'unauthorized_client', 'access_denied', 'unsupported_response_type', 'invalid_scope'],
  ...['server_error', 'temporarily_unavailable', 'interaction_required', 'login_required', 'consent_required'],
  ...['account_selection_required', 'invalid_request_uri', 'invalid_request_object', 'request_not_supported'],
  ...['request_uri_not_supported', 'registration_not_supported'],
];

/** What a browser brings in place of an answer. Only what is none of its own words is kept. */
export function returned(error: string): ProviderFailure {
  const known = ERRORS_OF_RETURNS.includes(error) ? error : null;
  return new ProviderFailure(`The browser returned with ${known ?? 'an error'}`, { code: 'returned', error: known });
}

function refusal({ error, error_description: description }: ResponseBodyError, httpStatus: number | null) {
  const said = { error: plain(error), description: description ? plain(description) : null };
  return new ProviderFailure(`The provider returned ${said.error}`, { code: 'refused', httpStatus, ...said });
}

/**
 * Says in a sentence why a call of the protocol library failed.
 * @param error what it threw
 * @param httpStatus of the last answer of the provider
 */
export function asProviderFailure(error: unknown, httpStatus: number | null): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  const egress = causes(error).find((cause) => cause instanceof EgressError);
  if (egress) {
    const code = egress.code === 'blocked' || egress.code === 'too_large' ? 'invalid' : 'unavailable';
    return new ProviderFailure(`Couldn't reach the provider: ${egress.message}`, { code, cause: error });
  }
  const seen = { httpStatus, cause: error };
  if (httpStatus !== null && (httpStatus >= 500 || httpStatus === 429)) {
    return new ProviderFailure(`The provider returned status ${httpStatus}`, { code: 'unavailable', ...seen });
  }
  if (error instanceof ResponseBodyError) return refusal(error, httpStatus);
  if (error instanceof WWWAuthenticateChallengeError) {
    return new ProviderFailure('The provider rejected the client ID or secret', { code: 'refused', ...seen });
  }
  if (error instanceof ClientError) {
    const detail = error.cause instanceof Error ? `: ${plain(error.cause.message)}` : '';
    return new ProviderFailure(`The provider returned an invalid response (${plain(error.message)}${detail})`, seen);
  }
  throw error;
}

function causes(error: unknown): unknown[] {
  const found: unknown[] = [];
  for (let cause = error; cause instanceof Error && found.length < 5; cause = cause.cause) found.push(cause);
  return found;
}

/** What a provider says is shown short and without what could be more than words. */
const plain = (text: string): string =>
  [...text.replace(/[^\p{L}\p{N}_.,"'()-]+/gu, ' ')].slice(0, 200).join('').trim();

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
    if (typeof metadata[name] !== 'string') throw new ProviderFailure(`The provider's metadata has no ${name}`);
  }
  for (const name of [...ENDPOINTS, 'userinfo_endpoint'] as const) {
    const url = metadata[name];
    const verdict = url === undefined ? undefined : checkUrl(String(url));
    if (verdict?.ok === false) {
      throw new ProviderFailure(`The provider's ${name} isn't allowed: ${verdict.message}`);
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
