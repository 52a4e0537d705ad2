import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { refused, type WebhookVerificationError } from './verification-error.js';

/**
 * Decodes base64 (RFC 4648, section 4). Node's decoder also accepts other alphabets, missing padding, foreign characters and
 * unused bits; here each value has exactly one text, so that no signature can be changed and remain valid.
 * @returns undefined when the text is not base64
 */
function parseBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** Returns whether two texts are the same, in a time that depends on the length of `given` only. */
export function isSameText(given: string, expected: string): boolean {
  const givenBytes = Buffer.from(given, 'utf8');
  const expectedBytes = Buffer.from(expected, 'utf8');
  return givenBytes.length === expectedBytes.length && timingSafeEqual(givenBytes, expectedBytes);
}

/** One secret, or several: during a rotation the new and the previous one. */
export type Secrets = string | readonly string[];

/**
 * @returns at least one secret, each a text that is not empty
 * @throws WebhookVerificationError `malformed_secret`
 */
export function listSecrets(secrets: Secrets): readonly string[] {
  const list: readonly unknown[] = Array.isArray(secrets) ? secrets : [secrets];
  if (list.length === 0) throw refused('malformed_secret', 'No secret was passed');
  list.forEach((secret, index) => {
    if (typeof secret !== 'string') throw malformedSecret(index, list.length, 'is not a string');
    if (secret === '') throw malformedSecret(index, list.length, 'is empty');
  });
  return list as readonly string[];
}

/** @param fault says nothing of the secret's content */
function malformedSecret(index: number, count: number, fault: string): WebhookVerificationError {
  return refused('malformed_secret', count === 1 ? `The secret ${fault}` : `Secret ${index + 1} of ${count} ${fault}`);
}

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
        throw refuse(`isn't base64 after "${SHARED_SECRET}". Check that it is complete and has no spaces`);
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
    if (secret.startsWith(PRIVATE_KEY)) throw refuse(`is a private key. Use the public key, "${PUBLIC_KEY}…"`);
    throw refuse(`must start with "${SHARED_SECRET}" or "${PUBLIC_KEY}"`);
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
