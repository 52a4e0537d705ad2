import { types } from 'node:util';
import { WebhookVerificationError } from './verification-error.js';

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
    throw new WebhookVerificationError('missing_body', 'The request has no body, or its raw body was not kept');
  }
  throw new WebhookVerificationError(
    'body_not_raw',
    'The body was parsed. Pass the raw body: the bytes that arrived, before any JSON parser read them',
  );
}
