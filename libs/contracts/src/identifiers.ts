import { createHash } from 'node:crypto';

/** Keys of packages: words of lower-case letters and digits, joined by single hyphens, underscores or dots. */
export const APP_KEY_PATTERN = '^[a-z][a-z0-9]*(?:[-_.][a-z0-9]+)*$';

/** Lengths of the key of a package, in characters. */
export const APP_KEY_LENGTH = { minLength: 2, maxLength: 64 } as const;

const pattern = new RegExp(APP_KEY_PATTERN);

export function isAppKey(text: string): boolean {
  const { minLength, maxLength } = APP_KEY_LENGTH;
  return text.length >= minLength && text.length <= maxLength && pattern.test(text);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Returns whether the value is a UUID of any version as RFC 9562 writes it, in letters of either case. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/**
 * What one service tells another of a random secret: anyone who reads the calls cannot use it. SHA-256 in hexadecimal; the secret
 * is long, so one round of a fast hash protects it.
 */
export const fingerprintOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** A name as one step of a JSON pointer, without the slash before it (RFC 6901, section 3). */
export function escapePointer(name: string): string {
  return /[~/]/.test(name) ? name.replaceAll('~', '~0').replaceAll('/', '~1') : name;
}

const BASE64URL = /^(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/;

/** Returns whether a text is the one spelling of its bytes: without padding, and without spare bits that are set (RFC 7515, section 2). */
export const isBase64url = (text: string): boolean => BASE64URL.test(text);
