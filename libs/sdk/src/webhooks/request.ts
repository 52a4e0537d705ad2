import { types } from 'node:util';
import { refused } from './verification-error.js';

/**
 * The body exactly as it arrived. Bytes (a `Buffer` is a `Uint8Array`) are the safest; a string is taken as the UTF-8 text
 * that was received.
 */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** @throws WebhookVerificationError `missing_body`; `body_not_raw` for anything else, such as a parsed object */
export function bytesOf(body: RawBody | null | undefined): Uint8Array {
  if (typeof body === 'string') return Buffer.from(body, 'utf8');
  // Not `instanceof`: the value may come from another realm, as it does under Jest.
  if (types.isUint8Array(body)) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (types.isArrayBuffer(body)) return Buffer.from(body);
  if (body === undefined || body === null) {
    throw refused('missing_body', 'The request has no raw body. Keep the raw bytes before any JSON parser reads them');
  }
  throw refused('body_not_raw', 'The body was already parsed. Pass the raw bytes instead');
}

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
 * @returns the only one, not empty
 * @throws WebhookVerificationError `missing_header`; `malformed_header` when there are several values
 */
export function requireSingle(values: readonly (string | null | undefined)[], name: string): string {
  const present = values.filter((value) => value !== undefined && value !== null && value !== '');
  const [value] = present;
  if (value === undefined) throw refused('missing_header', `The header "${name}" is missing`);
  if (present.length > 1 || typeof value !== 'string') {
    throw refused('malformed_header', `The header "${name}" has more than one value`);
  }
  return value;
}

const isFetchHeaders = (headers: RequestHeaders): headers is { get(name: string): string | null } =>
  typeof headers.get === 'function';
