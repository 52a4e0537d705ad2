import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** First byte of every box, which leaves room for another layout or key. */
const FORMAT = 1;
const KEY_BYTES = 32;
/** The nonce length that NIST SP 800-38D, section 8.2, recommends for GCM. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

/**
 * Encrypts secrets that must be shown or used again (signing secrets, private keys, hook addresses) with AES-256-GCM.
 * Secrets that only have to be compared are hashed instead.
 */
export class SecretBox {
  private readonly key: Buffer;

  /**
   * @param key 32 bytes in base64, the same for all replicas of a service
   * @throws Error when the key has another length
   */
  constructor(key: string) {
    this.key = Buffer.from(key, 'base64');
    if (this.key.length !== KEY_BYTES) throw new Error(`The encryption key must be ${KEY_BYTES} bytes in base64`);
  }

  /**
   * @param secret the text to encrypt
   * @param place what the secret belongs to, such as table and id; a box moved to another row does not open
   */
  seal(secret: string, place: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(place));
    const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(FORMAT), nonce, cipher.getAuthTag(), body]);
  }

  /** @throws Error when the box was changed, belongs to another place or was sealed with another key */
  open(box: Uint8Array, place: string): string {
    const bytes = Buffer.from(box);
    if (bytes.length < HEAD_BYTES || bytes[0] !== FORMAT) throw new Error('The format of this secret box is unknown');
    const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(1, 1 + NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(place));
    decipher.setAuthTag(bytes.subarray(1 + NONCE_BYTES, HEAD_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(HEAD_BYTES)), decipher.final()]).toString('utf8');
  }
}
