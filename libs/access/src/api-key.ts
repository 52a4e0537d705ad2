import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** How every key begins, so that people and programs that look for secrets recognise one. */
export const API_KEY_PREFIX = 'crmk_';

/** What a key looks like: for programs that look for secrets. The last six characters are a checksum. */
export const API_KEY_PATTERN = /^crmk_[0-9A-Za-z]{44}_[0-9A-Za-z]{49}$/;

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = BigInt(DIGITS.length);
/** Digits that hold a UUID, 256 bits and 32 bits. */
const ID_DIGITS = 22;
const SECRET_DIGITS = 43;
const CHECKSUM_DIGITS = 6;
const SECRET_BYTES = 32;
const LARGEST_ID = (1n << 128n) - 1n;
/** Characters at the beginning that a list of keys shows; they belong to the id, which is no secret. */
const SHOWN_CHARACTERS = API_KEY_PREFIX.length + 12;

/** What a key says of itself; it proves nothing until its fingerprint is compared. */
export interface ApiKeyIds {
  readonly keyId: string;
  readonly tenantId: string;
}

/** `crmk_`, ids of key and tenant, `_`, 256 secret bits, checksum. With the tenant it is found without a global table. */
export function makeApiKey({ keyId, tenantId }: ApiKeyIds): string {
  const secret = inDigits(numberOf(randomBytes(SECRET_BYTES).toString('hex')), SECRET_DIGITS);
  const unchecked = `${API_KEY_PREFIX}${digitsOfId(keyId)}${digitsOfId(tenantId)}_${secret}`;
  return unchecked + checksumOf(unchecked);
}

/** What is mistyped or invented fails the checksum and costs neither a call nor a statement. @returns undefined for no key */
export function readApiKey(text: string): ApiKeyIds | undefined {
  if (!API_KEY_PATTERN.test(text)) return undefined;
  const unchecked = text.slice(0, -CHECKSUM_DIGITS);
  if (checksumOf(unchecked) !== text.slice(-CHECKSUM_DIGITS)) return undefined;
  const ids = unchecked.slice(API_KEY_PREFIX.length);
  const keyId = idOfDigits(ids.slice(0, ID_DIGITS));
  const tenantId = idOfDigits(ids.slice(ID_DIGITS, 2 * ID_DIGITS));
  return keyId && tenantId ? { keyId, tenantId } : undefined;
}

/** SHA-256 in hexadecimal, for storage and caches. The secret is beyond guessing, so a plain hash is enough. */
export const apiKeyFingerprint = (key: string): string => hash('sha256', key, 'hex');

/** The beginning of the key with an id: what its owner recognises it by. */
export const apiKeyStart = (keyId: string): string => (API_KEY_PREFIX + digitsOfId(keyId)).slice(0, SHOWN_CHARACTERS);

const checksumOf = (text: string): string => inDigits(BigInt(crc32(text)), CHECKSUM_DIGITS);

const numberOf = (hex: string): bigint => BigInt(`0x${hex}`);

const digitsOfId = (id: string): string => inDigits(numberOf(id.replaceAll('-', '')), ID_DIGITS);

/** @returns undefined when the digits are of a number with more than 128 bits */
function idOfDigits(digits: string): string | undefined {
  let value = 0n;
  for (const digit of digits) value = value * BASE + BigInt(DIGITS.indexOf(digit));
  if (value > LARGEST_ID) return undefined;
  const hex = value.toString(16).padStart(32, '0');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function inDigits(value: bigint, length: number): string {
  let rest = value;
  let digits = '';
  while (rest > 0n) {
    digits = DIGITS[Number(rest % BASE)] + digits;
    rest /= BASE;
  }
  return digits.padStart(length, DIGITS[0]);
}
