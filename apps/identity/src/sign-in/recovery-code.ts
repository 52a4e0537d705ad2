import { randomBytes } from 'node:crypto';
import { toBase32 } from '../base32.js';
import { hashSecret } from '../secret.js';

/**
 * 140 bits at five a character: the least that has the 128 of OWASP ASVS, 11.2.3, in whole groups of four. From 112 bits on a
 * hash does not have to be slow (6.5.2). Codes from before have 120 or 80, and stay valid until the set is replaced.
 */
const CODE_CHARACTERS = 28;
const CODE_BYTES = Math.ceil((CODE_CHARACTERS * 5) / 8);

/** A new code in groups of four: `ABCD-EFGH-IJKL-MNOP-QRST-UVWX-YZ23`. */
export function newRecoveryCode(): string {
  const characters = toBase32(randomBytes(CODE_BYTES)).slice(0, CODE_CHARACTERS);
  return (characters.match(/.{4}/g) as string[]).join('-');
}

/** What is stored of a code, however it is written. The user's id is the salt: equal codes of two users differ. */
export function hashRecoveryCode(userId: string, code: string): Buffer {
  return hashSecret(`${userId}:${code.replaceAll(/[ -]/g, '').toUpperCase()}`);
}

/** Whether a text has the form of a recovery code; a code of an authenticator has only digits. */
export const isRecoveryCode = (text: string): boolean => !/^\d+$/.test(text);
