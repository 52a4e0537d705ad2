import type { WebhookEvent } from '../events/events.js';
import { bytesOf, type RawBody, type RequestHeaders, requireHeader } from './request.js';
import { parseSigningKeys, type Secrets, type SigningKey } from './signing-keys.js';
import { refused } from './verification-error.js';
import { assertRecent, type VerificationOptions } from './verify-timestamped-signature.js';

/**
 * The platform sends at most two signatures for each scheme. Without a bound, a header full of Ed25519 signatures would cost
 * a check of each with each key.
 */
const MAX_SIGNATURES = 16;

interface Signature {
  readonly scheme: string;
  readonly value: string;
}

/**
 * Verifies a delivery by Standard Webhooks (https://www.standardwebhooks.com) and returns its event.
 *
 * A delivery can arrive more than once: recognise the event by its `id`, which is also the header `webhook-id`.
 * @param rawBody exactly as it arrived, not parsed and serialised again
 * @param headers with `webhook-id`, `webhook-timestamp` and `webhook-signature`
 * @param secrets `whsec_…` (HMAC-SHA256) or `whpk_…` (Ed25519); several during a rotation, each of which is accepted
 * @returns the parsed body. Its sender is proven; its fields are those that the platform documents and not checked again
 * @throws WebhookVerificationError with a `reason`, and the `httpStatus` to answer
 */
export function verifyWebhook(
  rawBody: RawBody | null | undefined,
  headers: RequestHeaders,
  secrets: Secrets,
  options: VerificationOptions = {},
): WebhookEvent {
  const keys = parseSigningKeys(secrets);
  const body = bytesOf(rawBody);
  const id = requireHeader(headers, 'webhook-id');
  const timestamp = requireHeader(headers, 'webhook-timestamp');
  const signatures = parseSignatures(requireHeader(headers, 'webhook-signature'));
  // Standard Webhooks, "Signature scheme": with a full stop in the id, one signed content could be split in two ways.
  if (id.includes('.')) throw refused('malformed_header', '"webhook-id" contains a full stop');
  assertRecent(timestamp, 'webhook-timestamp', options);
  assertSigned(Buffer.concat([Buffer.from(`${id}.${timestamp}.`, 'utf8'), body]), signatures, keys);
  return parseEvent(body);
}

/** @throws WebhookVerificationError `malformed_header` */
function parseSignatures(header: string): Signature[] {
  const parts = header.split(' ').filter((part) => part !== '');
  if (parts.length > MAX_SIGNATURES) {
    throw refused('malformed_header', `"webhook-signature" has more than ${MAX_SIGNATURES} signatures`);
  }
  const signatures = parts.flatMap((part) => {
    const comma = part.indexOf(',');
    return comma > 0 && comma < part.length - 1 ? [{ scheme: part.slice(0, comma), value: part.slice(comma + 1) }] : [];
  });
  if (signatures.length === 0) {
    throw refused('malformed_header', '"webhook-signature" has no signature such as "v1,<base64>"');
  }
  return signatures;
}

/** @throws WebhookVerificationError `no_matching_signature` */
function assertSigned(content: Uint8Array, signatures: readonly Signature[], keys: readonly SigningKey[]): void {
  // Only a signature of the key's own scheme counts: a public key is no HMAC secret.
  const pairs = keys.flatMap((key) =>
    signatures.filter(({ scheme }) => scheme === key.scheme).map(({ value }) => ({ key, value })),
  );
  // All of them, so that the time does not say which secret matched.
  const matching = pairs.filter(({ key, value }) => key.isSignatureOf(content, value));
  if (matching.length > 0) return;
  throw refused(
    'no_matching_signature',
    pairs.length > 0
      ? 'No signature matches. Check that the secret belongs to this endpoint and that you pass the raw request body'
      : 'No signature is of the kind of the secrets: "v1" needs "whsec_…", "v1a" needs "whpk_…"',
  );
}

/** @throws WebhookVerificationError `body_not_json` */
function parseEvent(body: Uint8Array): WebhookEvent {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    // The parser's own message quotes the body.
    throw refused('body_not_json', "The body isn't JSON");
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refused('body_not_json', 'The body must be a JSON object');
  }
  return value as WebhookEvent;
}
