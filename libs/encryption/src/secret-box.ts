import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type BoxParts, headOf, NONCE_BYTES, TAG_BYTES, takeApart } from './box-format.js';
import { EncryptionKeys } from './encryption-keys.js';

/** A box was sealed with a key that this process was not given. */
export class MissingEncryptionKey extends Error {
  constructor(readonly keyId: string) {
    // The id comes from the box, which may have been changed: nothing but its letters goes into a log.
    super(`The box was sealed with the key ${JSON.stringify(keyId)}, which is not among the encryption keys`);
    this.name = 'MissingEncryptionKey';
  }
}

/**
 * Encrypts secrets that must be shown or used again (signing secrets, private keys, hook addresses) with AES-256-GCM.
 * Secrets that only have to be compared are hashed instead.
 *
 * A box names the key that sealed it, unless the service has one key without a name. The name is authenticated along with the
 * secret and its place.
 */
export class SecretBox {
  private readonly keys: EncryptionKeys;

  /**
   * @param keys one key, 32 bytes in base64, or a ring (`id:key,id:key`); the same for all replicas of a service
   * @throws InvalidEncryptionKeys
   */
  constructor(keys: string | EncryptionKeys) {
    this.keys = typeof keys === 'string' ? EncryptionKeys.parse(keys) : keys;
  }

  /**
   * @param secret the text to encrypt
   * @param place what the secret belongs to, such as table and id; a box moved to another row does not open
   */
  seal(secret: string, place: string): Buffer {
    const { id, bytes } = this.keys.current;
    const head = headOf(id);
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', bytes, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(authenticated(head, id, place));
    const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([head, nonce, cipher.getAuthTag(), body]);
  }

  /**
   * @throws MissingEncryptionKey when the key that it names is not there; Error when the box was changed, belongs to another
   *   place or was sealed with another key
   */
  open(box: Uint8Array, place: string): string {
    const parts = takeApart(box);
    const candidates = this.keys.candidates(parts.keyId);
    let failure: unknown = new Error('There is no key for this box');
    for (const { bytes } of candidates) {
      try {
        return decrypt(parts, bytes, place);
      } catch (error) {
        // The tag does not fit: another key, or not what was sealed. Only the last key tells.
        failure = error;
      }
    }
    const { keyId } = parts;
    if (keyId !== null && !candidates.some(({ id }) => id === keyId)) throw new MissingEncryptionKey(keyId);
    throw new Error('The box was changed, belongs to another place or was sealed with another key', { cause: failure });
  }
}

/** The id of the key that a box names; null when it names none. @throws Error when it is no box */
export const keyIdOf = (box: Uint8Array): string | null => takeApart(box).keyId;

function decrypt({ head, keyId, nonce, tag, body }: BoxParts, key: Buffer, place: string): string {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(authenticated(head, keyId, place));
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
}

/** Boxes without a name keep what they were sealed with. */
const authenticated = (head: Buffer, keyId: string | null, place: string): Buffer =>
  keyId === null ? Buffer.from(place) : Buffer.concat([head, Buffer.from(place)]);
