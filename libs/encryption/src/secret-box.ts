import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** First byte of every box, so that another layout or key can follow one day. */
const FORMAT = 1;
const KEY_BYTES = 32;
/** The nonce NIST SP 800-38D, section 8.2, recommends for GCM. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/**
 * Keeps secrets that must be shown or used again (signing secrets, private keys, hook addresses) encrypted at rest with
 * AES-256-GCM. What only has to be compared is hashed instead.
 */
export class SecretBox {
  private readonly key: Buffer;

  /**
   * @param key 32 bytes in base64, the same for all replicas of a service
   * @throws Error when it is not
   */
  constructor(key: string) {
    this.key = Buffer.from(key, 'base64');
    if (this.key.length !== KEY_BYTES) throw new Error(`The encryption key must be ${KEY_BYTES} bytes in base64`);
  }

  /**
   * @param secret the text to keep
   * @param place what the secret belongs to, such as table and id: a box moved to another row does not open there
   */
  seal(secret: string, place: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(place));
    const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(FORMAT), nonce, cipher.getAuthTag(), body]);
  }

  /** @throws Error when the box was changed, belongs to another place or was made with another key */
  open(box: Uint8Array, place: string): string {
    const bytes = Buffer.from(box);
    if (bytes.length < HEAD_BYTES || bytes[0] !== FORMAT) throw new Error('This is not a box of a known format');
    const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(1, 1 + NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(place));
    decipher.setAuthTag(bytes.subarray(1 + NONCE_BYTES, HEAD_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES)), decipher.final()]).toString('utf8');
  }
}
