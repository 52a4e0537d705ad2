import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';

/** Prefixes of Standard Webhooks 1.0 (section "Signature scheme"); base64 follows. */
export const SECRET_PREFIX = 'whsec_';
export const PRIVATE_KEY_PREFIX = 'whsk_';
export const PUBLIC_KEY_PREFIX = 'whpk_';

/** The private key of RFC 8032, section 5.1.5: 32 random bytes, in the form that the specification's Go library reads. */
export const PRIVATE_KEY_BYTES = 32;

/** What stands before these bytes in PKCS #8 (RFC 8410, section 7): a private key of Ed25519. */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A secret that is shared with the receivers. */
export interface SymmetricKey {
  readonly kind: 'symmetric';
  /** The decoded secret, for `v1`. */
  readonly decoded: KeyObject;
  /** The bytes of the whole text, for `x-platform-signature`. */
  readonly text: KeyObject;
}

/** An Ed25519 private key, for `v1a`; receivers have the public key. */
export interface AsymmetricKey {
  readonly kind: 'asymmetric';
  readonly privateKey: KeyObject;
}

export type SigningKey = SymmetricKey | AsymmetricKey;

/**
 * Decodes a signing secret, which its prefix describes.
 * @param secret `whsec_…` or `whsk_…`
 * @throws Error when it is neither, without the secret in its message
 */
export function signingKeyOf(secret: string): SigningKey {
  if (secret.startsWith(PRIVATE_KEY_PREFIX)) return { kind: 'asymmetric', privateKey: privateKeyOf(secret) };
  if (!secret.startsWith(SECRET_PREFIX)) throw new Error('A signing secret has an unknown prefix');
  return {
    kind: 'symmetric',
    decoded: createSecretKey(secret.slice(SECRET_PREFIX.length), 'base64'),
    text: createSecretKey(secret, 'utf8'),
  };
}

/**
 * The public key that verifies the signatures of a private key, for receivers.
 * @param secret `whsk_…`
 * @returns `whpk_…`, the 32 bytes of RFC 8032 in base64
 * @throws Error when the secret is not a private key, without the secret in its message
 */
export function publicKeyOf(secret: string): string {
  const { x } = createPublicKey(privateKeyOf(secret)).export({ format: 'jwk' });
  return PUBLIC_KEY_PREFIX + Buffer.from(x as string, 'base64url').toString('base64');
}

function privateKeyOf(secret: string): KeyObject {
  const bytes = Buffer.from(secret.slice(PRIVATE_KEY_PREFIX.length), 'base64');
  if (!secret.startsWith(PRIVATE_KEY_PREFIX) || bytes.length !== PRIVATE_KEY_BYTES) {
    throw new Error(`A private signing key is ${PRIVATE_KEY_PREFIX} and ${PRIVATE_KEY_BYTES} bytes in base64`);
  }
  return createPrivateKey({ key: Buffer.concat([PKCS8_ED25519, bytes]), format: 'der', type: 'pkcs8' });
}
