import { hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;
/** The form of 32 bytes in base64, with or without padding. */
const KEY = /^[\w+/-]{43}=?$/;
const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/;

export interface EncryptionKey {
  /** What boxes call the key; null for a key that stands alone and has no name. */
  readonly id: string | null;
  readonly bytes: Buffer;
}

/** The text that should name the keys does not; the message quotes ids only, never a key. */
export class InvalidEncryptionKeys extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'InvalidEncryptionKeys';
  }
}

/** The encryption keys of a service: the first one seals, all of them open. */
export class EncryptionKeys {
  private constructor(
    readonly current: EncryptionKey,
    /** The current one first. */
    readonly all: readonly EncryptionKey[],
  ) {}

  /** One key, 32 bytes in base64, or a ring: `id:key,id:key`. @throws InvalidEncryptionKeys */
  static parse(text: string): EncryptionKeys {
    const keys = text.includes(':')
      ? text.split(',').map((part) => named(part.trim()))
      : [{ id: null, bytes: bytesOf(text) }];
    const twice = keys.find(
      (key, index) => keys.findIndex(({ id, bytes }) => id === key.id || bytes.equals(key.bytes)) < index,
    );
    if (twice) throw new InvalidEncryptionKeys(`The key ${twice.id} is in the ring twice, by its id or its bytes`);
    return new EncryptionKeys(keys[0] as EncryptionKey, keys);
  }

  /** Keys that may have sealed a box, by the id in it; null for a box of a key without a name. */
  candidates(id: string | null): readonly EncryptionKey[] {
    if (id === null) return this.all;
    // A key without a name may be one that has a name elsewhere, in a process that was given the ring already.
    return this.all.filter((key) => key.id === id || key.id === null);
  }

  /** Keys for another purpose, such as a message authentication code: one from each key, the current one first. */
  derive(purpose: string): readonly [Buffer, ...Buffer[]] {
    const [current, ...older] = this.all.map(({ bytes }) =>
      Buffer.from(hkdfSync('sha256', bytes, '', purpose, KEY_BYTES)),
    );
    return [current as Buffer, ...older];
  }
}

function named(part: string): EncryptionKey {
  const separator = part.indexOf(':');
  const id = part.slice(0, Math.max(separator, 0));
  if (!ID.test(id)) {
    throw new InvalidEncryptionKeys(
      'Each key of a ring needs an id of 1 to 32 letters, digits, dots, dashes and underscores',
    );
  }
  return { id, bytes: bytesOf(part.slice(separator + 1), id) };
}

function bytesOf(text: string, id?: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (!KEY.test(text) || bytes.length !== KEY_BYTES) {
    throw new InvalidEncryptionKeys(
      `${id ? `The key ${id}` : 'The encryption key'} must be ${KEY_BYTES} bytes in base64`,
    );
  }
  return bytes;
}
