import { createHmac } from 'node:crypto';

/** Prefix of a signing secret in the Standard Webhooks format; the rest is base64. */
export const SECRET_PREFIX = 'whsec_';

export interface SignedHeaders {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
  'x-platform-signature': string;
}

/**
 * Headers by which a receiver verifies that a delivery is authentic and recent. `webhook-signature` is that of Standard Webhooks:
 * HMAC-SHA256 over `<id>.<timestamp>.<body>` keyed with the decoded secret. `x-platform-signature` is for receivers that
 * check `<timestamp>.<body>` keyed with the bytes of the whole secret text.
 * @param id of the event; the same for every attempt
 * @param timestamp Unix seconds of this attempt
 * @param body the exact bytes that are sent
 * @param secrets all that are valid; during a rotation both, so that the receiver can switch at any moment
 */
export function signatureHeaders(
  id: string,
  timestamp: number,
  body: string,
  secrets: readonly string[],
): SignedHeaders {
  const standard = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  const plain = secrets.map((secret) => {
    const mac = createHmac('sha256', Buffer.from(secret, 'utf8')).update(`${timestamp}.${body}`).digest('hex');
    return `v1=${mac}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard.join(' '),
    'x-platform-signature': [`t=${timestamp}`, ...plain].join(','),
  };
}
