import { createHmac, createPublicKey, verify } from 'node:crypto';
import { parseBase64 } from './base64.js';
import { isSameText } from './same-text.js';
import { listSecrets, malformedSecret, type Secrets } from './secrets.js';

/** What one secret of Standard Webhooks verifies with. */
export interface SigningKey {
  /** The signature identifier: `v1` is HMAC-SHA256, `v1a` is Ed25519. */
  readonly scheme: 'v1' | 'v1a';
  /** @param signature the part after the comma */
  isSignatureOf(content: Uint8Array, signature: string): boolean;
}

/** Prefixes of Standard Webhooks 1.0, "Signature scheme"; base64 follows. */
const SHARED_SECRET = 'whsec_';
const PUBLIC_KEY = 'whpk_';
const PRIVATE_KEY = 'whsk_';

const ED25519_PUBLIC_KEY_BYTES = 32;

/** RFC 8410: what precedes the 32 bytes of an Ed25519 public key in a SubjectPublicKeyInfo (DER). */
const ED25519_SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * @param secrets shared secrets `whsec_…` and public keys `whpk_…`, in any mixture
 * @throws WebhookVerificationError `malformed_secret`
 */
export function parseSigningKeys(secrets: Secrets): SigningKey[] {
  const list = listSecrets(secrets);
  return list.map((secret, index) => {
    const refuse = (fault: string) => malformedSecret(index, list.length, fault);
    if (secret.startsWith(SHARED_SECRET)) {
      const key = parseBase64(secret.slice(SHARED_SECRET.length));
      if (key === undefined)
        throw refuse(`is not base64 after "${SHARED_SECRET}"; is it complete, without white space?`);
      // Everybody can sign with an empty key.
      if (key.length === 0) throw refuse(`has nothing after "${SHARED_SECRET}"`);
      return sharedKey(key);
    }
    if (secret.startsWith(PUBLIC_KEY)) {
      const key = parseBase64(secret.slice(PUBLIC_KEY.length));
      if (key?.length !== ED25519_PUBLIC_KEY_BYTES) {
        throw refuse(`is not the base64 of ${ED25519_PUBLIC_KEY_BYTES} bytes after "${PUBLIC_KEY}"`);
      }
      return publicKey(key);
    }
    if (secret.startsWith(PRIVATE_KEY))
      throw refuse(`is a private key; a receiver has the public one, "${PUBLIC_KEY}…"`);
    throw refuse(`starts with neither "${SHARED_SECRET}" nor "${PUBLIC_KEY}"`);
  });
}

function sharedKey(key: Buffer): SigningKey {
  return {
    scheme: 'v1',
    isSignatureOf: (content, signature) =>
      isSameText(signature, createHmac('sha256', key).update(content).digest('base64')),
  };
}

function publicKey(bytes: Buffer): SigningKey {
  const key = createPublicKey({ key: Buffer.concat([ED25519_SPKI_HEAD, bytes]), format: 'der', type: 'spki' });
  return {
    scheme: 'v1a',
    isSignatureOf: (content, signature) => {
      const signatureBytes = parseBase64(signature);
      return signatureBytes !== undefined && verify(null, content, key, signatureBytes);
    },
  };
}
