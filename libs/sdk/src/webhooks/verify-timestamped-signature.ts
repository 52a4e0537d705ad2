import { createHmac } from 'node:crypto';
import { bytesOf, type RawBody, requireSingle } from './request.js';
import { isSameText, listSecrets, type Secrets } from './signing-keys.js';
import { refused } from './verification-error.js';

/**
 * How far the time of signing may differ from now, in both directions, in seconds. Exactly as far is accepted. The value of
 * the Standard Webhooks libraries, and of the platform's contract for signed webhooks.
 */
export const TIMESTAMP_TOLERANCE_SECONDS = 300;

export interface VerificationOptions {
  /** The clock. Default: the time of this machine. */
  readonly now?: () => Date;
}

/**
 * @param text Unix seconds, digits only
 * @throws WebhookVerificationError `malformed_header`, `timestamp_too_old`, `timestamp_too_new`
 */
export function assertRecent(text: string, header: string, { now = () => new Date() }: VerificationOptions): void {
  if (!/^\d{1,12}$/.test(text)) {
    throw refused('malformed_header', `The timestamp in "${header}" is not a number of Unix seconds`);
  }
  // Whole seconds, like the timestamp: otherwise one of exactly 300 s ago would be refused for its milliseconds.
  const seconds = Math.floor(now().getTime() / 1000);
  // Every comparison with NaN is false, so that an invalid clock would let everything pass.
  if (!Number.isSafeInteger(seconds)) throw new TypeError('options.now returned an invalid date');
  const age = seconds - Number(text);
  if (age > TIMESTAMP_TOLERANCE_SECONDS) throw refused('timestamp_too_old', outside(age, 'ago'));
  if (-age > TIMESTAMP_TOLERANCE_SECONDS) {
    throw refused('timestamp_too_new', outside(-age, 'in the future'));
  }
}

const outside = (seconds: number, direction: string): string =>
  `The request was signed ${seconds} s ${direction}. Up to ${TIMESTAMP_TOLERANCE_SECONDS} s are accepted`;

/** A sender needs one for each live secret; the bound keeps a request from costing more than that. */
const MAX_SIGNATURES = 16;

const HEADER = 'signature header';

/** What is proven. */
export interface TimestampedSignature {
  /** When the sender signed this attempt. */
  readonly signedAt: Date;
}

/**
 * Verifies the header `t=<Unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<raw body>`, keyed with the bytes of the whole
 * secret text. Many providers sign like this; the platform does in `x-platform-signature`, with `whsec_` as part of the
 * text. During a rotation there are several `v1`; members with other names are ignored.
 * The id of the event is not signed on its own: recognise duplicates by the `id` in the body, not by a header.
 * @param rawBody exactly as it arrived, not parsed and serialised again
 * @param signatureHeader value of the header, `undefined` or `null` when the request has none
 * @param secrets texts; several during a rotation, each of which is accepted
 * @throws WebhookVerificationError with a `reason`, and the `httpStatus` to answer
 */
export function verifyTimestampedSignature(
  rawBody: RawBody | null | undefined,
  signatureHeader: string | readonly string[] | null | undefined,
  secrets: Secrets,
  options: VerificationOptions = {},
): TimestampedSignature {
  const keys = listSecrets(secrets);
  const body = bytesOf(rawBody);
  const values = typeof signatureHeader === 'object' && signatureHeader !== null ? signatureHeader : [signatureHeader];
  const { timestamp, signatures } = parseHeader(requireSingle(values, HEADER));
  assertRecent(timestamp, HEADER, options);
  const content = Buffer.concat([Buffer.from(`${timestamp}.`, 'utf8'), body]);
  const expected = keys.map((key) => createHmac('sha256', Buffer.from(key, 'utf8')).update(content).digest('hex'));
  // All of them, so that the time does not say which secret matched.
  const matching = expected.flatMap((mac) => signatures.filter((signature) => isSameText(signature, mac)));
  if (matching.length === 0) {
    throw refused(
      'no_matching_signature',
      'No signature matches. Check that the secret belongs to the sender and that you pass the raw request body',
    );
  }
  return { signedAt: new Date(Number(timestamp) * 1000) };
}

/** @throws WebhookVerificationError `malformed_header` */
function parseHeader(header: string): { timestamp: string; signatures: string[] } {
  const members = header.split(',').map((member) => {
    const [name = '', ...value] = member.trim().split('=');
    return { name, value: value.join('=') };
  });
  const valuesOf = (wanted: string) => members.flatMap(({ name, value }) => (name === wanted ? value : []));
  const [timestamp, ...otherTimestamps] = valuesOf('t');
  const signatures = valuesOf('v1');
  if (timestamp === undefined || otherTimestamps.length > 0) {
    throw refused('malformed_header', 'The signature header needs exactly one "t=<Unix seconds>"');
  }
  if (signatures.length === 0 || signatures.length > MAX_SIGNATURES) {
    throw refused('malformed_header', `The signature header needs 1 to ${MAX_SIGNATURES} signatures "v1=<hex>"`);
  }
  return { timestamp, signatures };
}
