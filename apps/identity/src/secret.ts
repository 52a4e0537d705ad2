import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Bytes of every secret that identity issues: 256 bits, beyond guessing, so a plain hash is enough to store it. */
const SECRET_BYTES = 32;

export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** What is stored of a secret. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export function isSecret(stored: Buffer, presented: string): boolean {
  return isHash(stored, hashSecret(presented));
}

/** Compares hashes in constant time. */
export function isHash(stored: Buffer, presented: Buffer): boolean {
  return stored.length === presented.length && timingSafeEqual(stored, presented);
}

/** The hash of a secret that another service knows, from its fingerprint (`fingerprintOf`). */
export const hashOfFingerprint = (fingerprint: string): Buffer => Buffer.from(fingerprint, 'hex');
