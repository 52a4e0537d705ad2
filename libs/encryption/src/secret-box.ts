import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { EncryptionKeys } from './encryption-keys.js';

/** Of a key without a name: format, nonce, tag, body. */
const UNNAMED = 1;
/** Format, length of the id, id, nonce, tag, body. */
const NAMED = 2;
/** The nonce length that NIST SP 800-38D, section 8.2, recommends for GCM. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MAX_ID_BYTES = 32;

interface BoxParts {
  /** Null for a box that does not name its key. */
  readonly keyId: string | null;
  /** What stands in front of the nonce; authenticated, unless it names no key. */
  readonly head: Buffer;
  readonly nonce: Buffer;
  readonly tag: Buffer;
  readonly body: Buffer;
}

/** No head is the beginning of another, as the length of the id stands first. @param keyId null: a key without a name */
export function headOf(keyId: string | null): Buffer {
  if (keyId === null) return Buffer.of(UNNAMED);
  const id = Buffer.from(keyId, 'latin1');
  return Buffer.concat([Buffer.of(NAMED, id.length), id]);
}

/** @throws Error when the bytes are too short for a box, or of an unknown format */
function takeApart(box: Uint8Array): BoxParts {
  const bytes = Buffer.from(box);
  const headBytes = bytes[0] === UNNAMED ? 1 : 2 + (bytes[1] ?? 0);
  const isKnown = bytes[0] === UNNAMED || (bytes[0] === NAMED && headBytes > 2 && headBytes <= 2 + MAX_ID_BYTES);
  if (!isKnown || bytes.length < headBytes + NONCE_BYTES + TAG_BYTES) {
    throw new Error('The format of this secret box is unknown');
  }
  const head = bytes.subarray(0, headBytes);
  const tagAt = headBytes + NONCE_BYTES;
  return {
    keyId: bytes[0] === UNNAMED ? null : head.toString('latin1', 2),
    head,
    nonce: bytes.subarray(headBytes, tagAt),
    tag: bytes.subarray(tagAt, tagAt + TAG_BYTES),
    body: bytes.subarray(tagAt + TAG_BYTES),
  };
}

/** A box was sealed with a key that this process was not given. */
export class MissingEncryptionKey extends Error {
  constructor(readonly keyId: string) {
    // The id comes from the box, which may have been changed: nothing but its letters goes into a log.
    super(`The box was sealed with the key ${JSON.stringify(keyId)}, which is not among the encryption keys`);
    this.name = 'MissingEncryptionKey';
  }
}

/**
 * AES-256-GCM for secrets that are shown or used again; those that are only compared are hashed. A box names its key,
 * unless the only key has no name; the name is authenticated with the secret and its context.
 */
export class SecretBox {
  private readonly keys: EncryptionKeys;

  /** @throws InvalidEncryptionKeys */
  constructor(keys: string | EncryptionKeys) {
    this.keys = typeof keys === 'string' ? EncryptionKeys.parse(keys) : keys;
  }

  /** @param context what the secret belongs to, such as table and id; a box moved to another row does not open */
  seal(secret: string, context: string): Buffer {
    const { id, bytes } = this.keys.current;
    const head = headOf(id);
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', bytes, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(authenticated(head, id, context));
    const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([head, nonce, cipher.getAuthTag(), body]);
  }

  /** @throws MissingEncryptionKey without the named key; Error for a changed, moved or otherwise sealed box */
  open(box: Uint8Array, context: string): string {
    const parts = takeApart(box);
    const candidates = this.keys.candidates(parts.keyId);
    let failure: unknown = new Error('There is no key for this box');
    for (const { bytes } of candidates) {
      try {
        return decrypt(parts, bytes, context);
      } catch (error) {
        // The tag does not fit: another key, or not what was sealed. Only the last key tells.
        failure = error;
      }
    }
    const { keyId } = parts;
    if (keyId !== null && !candidates.some(({ id }) => id === keyId)) throw new MissingEncryptionKey(keyId);
    throw new Error('The box was changed, belongs to another context or was sealed with another key', {
      cause: failure,
    });
  }
}

/** The id of the key that a box names; null when it names none. @throws Error when it is no box */
export const keyIdOf = (box: Uint8Array): string | null => takeApart(box).keyId;

function decrypt({ head, keyId, nonce, tag, body }: BoxParts, key: Buffer, context: string): string {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(authenticated(head, keyId, context));
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
}

/** Boxes without a name keep what they were sealed with. */
const authenticated = (head: Buffer, keyId: string | null, context: string): Buffer =>
  keyId === null ? Buffer.from(context) : Buffer.concat([head, Buffer.from(context)]);
