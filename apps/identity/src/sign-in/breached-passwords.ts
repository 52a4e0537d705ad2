import { createHash } from 'node:crypto';

/** As in scripts/breached-passwords.mjs, which writes the list. */
const HASH_BYTES = 5;

let list: Promise<Buffer> | undefined;

/**
 * Whether a password is among the million most common ones that breaches have brought to light, in whatever case. The list is
 * read with the first password: 220 kB that most processes never need.
 */
export async function isBreached(password: string): Promise<boolean> {
  list ??= import('./breached-passwords.data.js').then(({ BREACHED_PASSWORDS }) =>
    Buffer.from(BREACHED_PASSWORDS, 'base64'),
  );
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
