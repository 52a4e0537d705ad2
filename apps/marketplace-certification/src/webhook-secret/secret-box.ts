import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts with AES-256-GCM: nonce, ciphertext and tag, one after the other. The name of what is sealed is
 * authenticated with it, so that a sealed value moved to another row does not open.
 */
export class SecretBox {
  private readonly key: Buffer;

  /** @param key 32 bytes in base64 */
  constructor(key: string) {
    this.key = Buffer.from(key, 'base64');
    if (this.key.length !== 32) throw new Error('The key of a secret box has 32 bytes');
  }

  seal(text: string, name: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce).setAAD(Buffer.from(name));
    return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  }

  /** @throws Error when the value was sealed with another key or under another name, or was changed */
  open(sealed: Buffer, name: string): string {
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const tag = sealed.subarray(sealed.length - TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(name))
      .setAuthTag(tag);
    return (
      decipher.update(sealed.subarray(NONCE_BYTES, sealed.length - TAG_BYTES), undefined, 'utf8') +
      decipher.final('utf8')
    );
  }
}
