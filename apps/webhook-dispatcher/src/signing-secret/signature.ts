import { createHmac, createSecretKey } from 'node:crypto';

/** Prefix of a signing secret in the Standard Webhooks format; the rest is base64. */
export const SECRET_PREFIX = 'whsec_';

export interface SignedHeaders {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
  'x-platform-signature': string;
}

/** Signs deliveries with secrets that it has decoded once. */
export interface Signer {
  /**
   * Headers by which a receiver verifies that a delivery is authentic and recent. `webhook-signature` is that of Standard
   * Webhooks: HMAC-SHA256 over `<id>.<timestamp>.<body>` keyed with the decoded secret. `x-platform-signature` is for
   * receivers that check `<timestamp>.<body>` keyed with the bytes of the whole secret text.
   * @param id of the event; the same for every attempt
   * @param timestamp Unix seconds of this attempt
   * @param body the exact text that is sent
   */
  headers(id: string, timestamp: number, body: string): SignedHeaders;
}

/** @param secrets all that are valid; during a rotation both, so that the receiver can switch at any moment */
export function signerOf(secrets: readonly string[]): Signer {
  const keys = secrets.map((secret) => ({
    standard: createSecretKey(Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')),
    plain: createSecretKey(Buffer.from(secret, 'utf8')),
  }));
  return {
    headers(id, timestamp, body) {
      const standard = keys.map(
        (key) => `v1,${createHmac('sha256', key.standard).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
      );
      const plain = keys.map(
        (key) => `,v1=${createHmac('sha256', key.plain).update(`${timestamp}.${body}`).digest('hex')}`,
      );
      return {
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': standard.join(' '),
        'x-platform-signature': `t=${timestamp}${plain.join('')}`,
      };
    },
  };
}
