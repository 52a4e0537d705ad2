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
