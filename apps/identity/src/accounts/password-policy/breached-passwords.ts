import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';

/** Beginnings of the SHA-256 of 43,940 passwords, in ascending order (docs/supply-chain.md says where they are from). */
const LIST = new URL('./breached-passwords.br', import.meta.url);
/** Of so many passwords, one of 25 million others has the beginning of its hash in common. */
const HASH_BYTES = 5;

let list: Promise<Buffer> | undefined;

/**
 * Whether a password is among the million most common ones that breaches have brought to light, in whatever case. The list is
 * read with the first password: 220 kB that most processes never need.
 */
export async function isBreached(password: string): Promise<boolean> {
  list ??= readFile(LIST).then(promisify(brotliDecompress));
  const hashes = await list;
  const hash = createHash('sha256').update(password.normalize('NFC').toLowerCase()).digest().subarray(0, HASH_BYTES);
  let [low, high] = [0, hashes.length / HASH_BYTES];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = hash.compare(hashes, middle * HASH_BYTES, (middle + 1) * HASH_BYTES);
    if (order === 0) return true;
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return false;
}
