import { WebhookVerificationError } from './verification-error.js';

/**
 * The headers of a request: a plain object with names in any case, `request.headers` of Node, Express, Fastify or Nest,
 * or the `Headers` of a Fetch request.
 */
export type RequestHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

/**
 * @param name in lower case
 * @returns the value, not empty
 * @throws WebhookVerificationError `missing_header`; `malformed_header` when there are several values
 */
export function requireHeader(headers: RequestHeaders, name: string): string {
  const values = isFetchHeaders(headers)
    ? [headers.get(name)]
    : Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? value : []));
  return requireSingle(values, name);
}

/**
 * @param values of one header
 * @param name for the message
 * @returns the only one, not empty
 * @throws WebhookVerificationError `missing_header`; `malformed_header` when there are several values
 */
export function requireSingle(values: readonly (string | null | undefined)[], name: string): string {
  const present = values.filter((value) => value !== undefined && value !== null && value !== '');
  const [value] = present;
  if (value === undefined) throw new WebhookVerificationError('missing_header', `The header "${name}" is missing`);
  if (present.length > 1 || typeof value !== 'string') {
    throw new WebhookVerificationError('malformed_header', `The header "${name}" has more than one value`);
  }
  return value;
}

const isFetchHeaders = (headers: RequestHeaders): headers is { get(name: string): string | null } =>
  typeof headers.get === 'function';
