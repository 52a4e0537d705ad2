import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { isBase64url } from '@crm/contracts';

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

const UUID_BYTES = 16;

/** What is presented before its tenant is known names the tenant itself. It proves nothing. */
export function packIds(...ids: readonly string[]): string {
  return Buffer.concat(ids.map((id) => Buffer.from(id.replaceAll('-', ''), 'hex'))).toString('base64url');
}

/** @returns the ids, or undefined when the text is not `count` packed ids */
export function unpackIds(text: string, count: number): string[] | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== count * UUID_BYTES || !isBase64url(text)) return undefined;
  return Array.from({ length: count }, (_, index) => {
    const hex = bytes.subarray(index * UUID_BYTES, (index + 1) * UUID_BYTES).toString('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  });
}

/** What the link in a mail, or a browser, presents: a row and the secret that proves it. */
export const packToken = (tenantId: string, id: string, secret: string): string => `${packIds(tenantId, id)}.${secret}`;

/** @returns undefined for a text that names no row */
export function unpackToken(token: string): { tenantId: string; id: string; secret: string } | undefined {
  const [ids = '', secret = ''] = token.split('.');
  const [tenantId, id] = unpackIds(ids, 2) ?? [];
  return tenantId && id ? { tenantId, id, secret } : undefined;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BITS = 5;

/** Base32 of RFC 4648 without padding, as authenticator apps and people read it. */
export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let value = 0;
  let held = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    held += 8;
    for (; held >= BITS; held -= BITS) text += ALPHABET.charAt((value >>> (held - BITS)) & 31);
    value &= (1 << held) - 1;
  }
  return held === 0 ? text : text + ALPHABET.charAt((value << (BITS - held)) & 31);
}

/** @throws Error when a character does not belong to the alphabet */
export function fromBase32(text: string): Buffer {
  const bytes: number[] = [];
  let value = 0;
  let held = 0;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) throw new Error('The text is not base32');
    value = (value << BITS) | digit;
    held += BITS;
    if (held >= 8) {
      held -= 8;
      bytes.push((value >>> held) & 255);
      value &= (1 << held) - 1;
    }
  }
  return Buffer.from(bytes);
}
