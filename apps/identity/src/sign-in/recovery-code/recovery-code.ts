import { randomBytes } from 'node:crypto';
import { toBase32 } from '../../secrets/base32.js';
import { hashSecret } from '../../secrets/secret.js';

/**
 * 120 bits: 24 characters. From 112 bits on a hash does not have to be slow (OWASP ASVS, 6.5.2). Codes from before have 80, and
 * stay valid until the set is replaced.
 */
const CODE_BYTES = 15;

/** A new code in groups of four: `ABCD-EFGH-IJKL-MNOP-QRST-UVWX`. */
export function newRecoveryCode(): string {
  return (toBase32(randomBytes(CODE_BYTES)).match(/.{4}/g) as string[]).join('-');
}

/** What is stored of a code, however it is written. The user's id is the salt: equal codes of two users differ. */
export function hashRecoveryCode(userId: string, code: string): Buffer {
  return hashSecret(`${userId}:${code.replaceAll('-', '').toUpperCase()}`);
}

/** Whether a text has the form of a recovery code; a code of an authenticator has only digits. */
export const isRecoveryCode = (text: string): boolean => !/^\d+$/.test(text);
