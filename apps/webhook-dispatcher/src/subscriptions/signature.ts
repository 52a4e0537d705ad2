import { createHmac, sign } from 'node:crypto';
import { type AsymmetricKey, type SigningKey, type SymmetricKey, signingKeyOf } from './signing-key.js';

export interface SignedHeaders {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
  /** Only with a symmetric secret: the receiver computes it with the same bytes. */
  'x-platform-signature'?: string;
}

/**
 * Signs deliveries with keys that were decoded once. It holds nothing of a delivery, so that one signer serves every
 * attempt until the secrets change.
 */
export class Signer {
  private readonly symmetric: readonly SymmetricKey[];

  /** @param keys newest first: the order of the signatures */
  constructor(private readonly keys: readonly SigningKey[]) {
    this.symmetric = keys.filter((key) => key.kind === 'symmetric');
  }

  /**
   * Headers by which a receiver verifies that a delivery is authentic and recent. `webhook-signature` is that of Standard
   * Webhooks, over `<id>.<timestamp>.<body>`: `v1` is HMAC-SHA256 keyed with the decoded secret, `v1a` is Ed25519.
   * `x-platform-signature` is for receivers that check HMAC-SHA256 over `<timestamp>.<body>` keyed with the bytes of the
   * whole secret text.
   * @param id of the event; the same for every attempt
   * @param timestamp Unix seconds of this attempt
   * @param body the exact text that is sent, in UTF-8
   */
  headers(id: string, timestamp: number, body: string): SignedHeaders {
    const signedByPlatform = `${timestamp}.${body}`;
    const signed = `${id}.${signedByPlatform}`;
    const standard = this.keys.map((key) => (key.kind === 'symmetric' ? v1(key, signed) : v1a(key, signed)));
    const headers: SignedHeaders = {
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': standard.join(' '),
    };
    if (this.symmetric.length === 0) return headers;
    const plain = this.symmetric.map(({ text }) => `v1=${hmac(text, signedByPlatform, 'hex')}`);
    headers['x-platform-signature'] = [`t=${timestamp}`, ...plain].join(',');
    return headers;
  }
}

/**
 * @param secrets all that are valid, of either kind, newest first; during a rotation both, so that the receiver can switch
 *   at any moment
 * @throws Error when one is malformed
 */
export const signerOf = (secrets: readonly string[]): Signer => new Signer(secrets.map(signingKeyOf));

const v1 = ({ decoded }: SymmetricKey, signed: string): string => `v1,${hmac(decoded, signed, 'base64')}`;

/** Ed25519 hashes by itself, so there is no digest to name. */
const v1a = ({ privateKey }: AsymmetricKey, signed: string): string =>
  `v1a,${sign(null, Buffer.from(signed), privateKey).toString('base64')}`;

const hmac = (key: SymmetricKey['decoded'], signed: string, encoding: 'base64' | 'hex'): string =>
  createHmac('sha256', key).update(signed).digest(encoding);
