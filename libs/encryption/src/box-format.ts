/** Boxes from before boxes named their key: format, nonce, tag, body. */
const UNNAMED = 1;
/** Format, length of the id, id, nonce, tag, body. */
const NAMED = 2;
/** The nonce length that NIST SP 800-38D, section 8.2, recommends for GCM. */
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;
const MAX_ID_BYTES = 32;

/** A box as it is stored, taken apart. */
export interface BoxParts {
  /** Null for a box that does not name its key. */
  readonly keyId: string | null;
  /** What stands in front of the nonce; authenticated, unless it names no key. */
  readonly head: Buffer;
  readonly nonce: Buffer;
  readonly tag: Buffer;
  readonly body: Buffer;
}

/**
 * How a box begins that was sealed with a key. No head is the beginning of another: the length of the id stands before it.
 * @param keyId null for a key without a name
 */
export function headOf(keyId: string | null): Buffer {
  if (keyId === null) return Buffer.of(UNNAMED);
  const id = Buffer.from(keyId, 'latin1');
  return Buffer.concat([Buffer.of(NAMED, id.length), id]);
}

/** @throws Error when the bytes are too short for a box, or of an unknown format */
export function takeApart(box: Uint8Array): BoxParts {
  const bytes = Buffer.from(box);
  const headBytes = bytes[0] === UNNAMED ? 1 : 2 + (bytes[1] ?? 0);
  const isKnown = bytes[0] === UNNAMED || (bytes[0] === NAMED && headBytes > 2 && headBytes <= 2 + MAX_ID_BYTES);
  if (!isKnown || bytes.length < headBytes + NONCE_BYTES + TAG_BYTES) {
    throw new Error('The format of this secret box is unknown');
  }
  const head = bytes.subarray(0, headBytes);
  const tagAt = headBytes + NONCE_BYTES;
  return {
    keyId: bytes[0] === UNNAMED ? null : head.toString('latin1', 2),
    head,
    nonce: bytes.subarray(headBytes, tagAt),
    tag: bytes.subarray(tagAt, tagAt + TAG_BYTES),
    body: bytes.subarray(tagAt + TAG_BYTES),
  };
}
