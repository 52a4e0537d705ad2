import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Bytes of every secret that identity issues: 256 bits, beyond guessing, so a plain hash is enough to store it. */
const SECRET_BYTES = 32;

/** A new secret in base64url. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** What is stored of a secret. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Compares in constant time. */
export function isSecret(stored: Buffer, presented: string): boolean {
  const hash = hashSecret(presented);
  return stored.length === hash.length && timingSafeEqual(stored, hash);
}
