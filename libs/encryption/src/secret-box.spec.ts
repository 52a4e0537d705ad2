import { createCipheriv, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { EncryptionKeys } from './encryption-keys.js';
import { keyIdOf, MissingEncryptionKey, SecretBox } from './secret-box.js';

const newKey = () => randomBytes(32).toString('base64');
const newBox = () => new SecretBox(newKey());

/** A box as versions before the ring made it. */
function sealedWithoutName(key: string, secret: string, context: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'base64'), nonce, { authTagLength: 16 });
  cipher.setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(1), nonce, cipher.getAuthTag(), body]);
}

describe.each([
  ['one key', newKey],
  ['a ring', () => `new:${newKey()},old:${newKey()}`],
])('SecretBox with %s', (_what, keys) => {
  it('returns the secret that was sealed', () => {
    const box = new SecretBox(keys());
    expect(box.open(box.seal('whsec_ä', 'subscription/1'), 'subscription/1')).toBe('whsec_ä');
  });

  it('seals the same secret differently each time', () => {
    const box = new SecretBox(keys());
    expect(box.seal('same', 'context').equals(box.seal('same', 'context'))).toBe(false);
  });

  it('does not open a box in another context', () => {
    const box = new SecretBox(keys());
    expect(() => box.open(box.seal('secret', 'subscription/1'), 'subscription/2')).toThrow('another context');
  });

  it('does not open a box of which any byte was changed or removed', () => {
    const box = new SecretBox(keys());
    const sealed = box.seal('secret', 'context');
    for (let index = 0; index < sealed.length; index += 1) {
      for (const bit of [1, 2, 128]) {
        const changed = Buffer.from(sealed);
        changed[index] = (changed[index] ?? 0) ^ bit;
        expect(() => box.open(changed, 'context')).toThrow();
      }
      expect(() => box.open(sealed.subarray(0, index), 'context')).toThrow();
    }
  });
});

describe('SecretBox', () => {
  it('does not open a box with another key', () => {
    expect(() => newBox().open(newBox().seal('secret', 'context'), 'context')).toThrow('another key');
  });

  it('opens what was sealed before boxes named their key, with whichever key of the ring it was', () => {
    const [oldest, newest] = [newKey(), newKey()];
    const sealed = sealedWithoutName(oldest, 'secret', 'context');
    expect(keyIdOf(sealed)).toBeNull();
    expect(new SecretBox(oldest).open(sealed, 'context')).toBe('secret');
    expect(new SecretBox(`new:${newest},old:${oldest}`).open(sealed, 'context')).toBe('secret');
    expect(() => new SecretBox(`new:${newest}`).open(sealed, 'context')).toThrow('another key');
  });

  it('with one key seals as versions before the ring did, which still run during an update', () => {
    const key = newKey();
    expect(keyIdOf(new SecretBox(key).seal('secret', 'context'))).toBeNull();
  });

  it('seals with the first key of the ring and opens with each', () => {
    const [first, second] = [`2026-11:${newKey()}`, `2026-05:${newKey()}`];
    const before = new SecretBox(second).seal('secret', 'context');
    const both = new SecretBox(`${first},${second}`);
    expect(keyIdOf(both.seal('secret', 'context'))).toBe('2026-11');
    expect(both.open(before, 'context')).toBe('secret');
    expect(new SecretBox(first).open(both.seal('secret', 'context'), 'context')).toBe('secret');
  });

  it('says which key is missing', () => {
    const sealed = new SecretBox(`2026-05:${newKey()}`).seal('secret', 'context');
    const later = new SecretBox(`2026-11:${newKey()}`);
    expect(() => later.open(sealed, 'context')).toThrow(MissingEncryptionKey);
    expect(() => later.open(sealed, 'context')).toThrow('"2026-05"');
  });

  it('opens with a key without a name what the same key sealed under a name', () => {
    const key = newKey();
    const sealed = new SecretBox(`2026-11:${key}`).seal('secret', 'context');
    expect(new SecretBox(key).open(sealed, 'context')).toBe('secret');
    expect(() => newBox().open(sealed, 'context')).toThrow(MissingEncryptionKey);
  });

  it('does not open a box whose key id was forged, not even to another name of the same key', () => {
    const key = newKey();
    const sealed = new SecretBox(`a1:${key}`).seal('secret', 'context');
    const forged = Buffer.from(sealed);
    forged.write('b2', 2, 'latin1');
    expect(keyIdOf(forged)).toBe('b2');
    expect(() => new SecretBox(`b2:${key}`).open(forged, 'context')).toThrow('was changed');
    expect(() => new SecretBox(`b2:${newKey()},a1:${key}`).open(forged, 'context')).toThrow('was changed');
    // Without its head it is not a box from before either: the head was authenticated.
    const stripped = Buffer.concat([Buffer.of(1), sealed.subarray(4)]);
    expect(() => new SecretBox(key).open(stripped, 'context')).toThrow('was changed');
  });

  it('does not take a part of the context for a part of the id', () => {
    const key = newKey();
    const sealed = new SecretBox(`ab:${key}`).seal('secret', 'c');
    const shifted = Buffer.concat([Buffer.of(2, 3), Buffer.from('abc'), sealed.subarray(4)]);
    expect(() => new SecretBox(`abc:${key}`).open(shifted, '')).toThrow();
  });

  it.each([
    ['nothing', []],
    ['an unknown format', [3, ...randomBytes(60)]],
    ['an id without letters', [2, 0, ...randomBytes(60)]],
    ['an id that is too long', [2, 255, ...randomBytes(600)]],
    ['an id that ends outside', [2, 32, ...randomBytes(20)]],
    ['no more than its head', [2, 1, 97]],
  ])('refuses %s', (_what, bytes) => {
    expect(() => new SecretBox(`a:${newKey()}`).open(Buffer.from(bytes), 'context')).toThrow('format');
  });
});

describe('EncryptionKeys', () => {
  it.each(['', 'short', randomBytes(31).toString('base64'), `${newKey()}x`, `${newKey()},${newKey()}`])(
    'rejects the key %j',
    (key) => expect(() => EncryptionKeys.parse(key)).toThrow('32 bytes'),
  );

  it.each([
    [`:${newKey()}`, 'needs an id'],
    [`ä:${newKey()}`, 'needs an id'],
    [`${'x'.repeat(33)}:${newKey()}`, 'needs an id'],
    [`a:${newKey()},`, 'needs an id'],
    [`a:${newKey()},${newKey()}`, 'needs an id'],
    ['a:c2hvcnQ=', 'The key a must be 32 bytes'],
    [`a:${newKey()},a:${newKey()}`, 'The key a is in the ring twice'],
  ])('rejects the ring %j', (ring, problem) => expect(() => EncryptionKeys.parse(ring)).toThrow(problem));

  it('rejects the same key under two names, and does not repeat it', () => {
    const key = newKey();
    expect(() => EncryptionKeys.parse(`a:${key},b:${key}`)).toThrow('The key b is in the ring twice');
    expect(() => EncryptionKeys.parse(`a:${key},b:${key}`)).not.toThrow(key);
  });

  it('derives a key from each, the current one first, and another for each purpose', () => {
    const [first, second] = [newKey(), newKey()];
    const [current, older] = EncryptionKeys.parse(`a:${first}, b:${second}`).derive('codes');
    expect(current).toEqual(EncryptionKeys.parse(first).derive('codes')[0]);
    expect(older).toEqual(EncryptionKeys.parse(second).derive('codes')[0]);
    expect(current).not.toEqual(EncryptionKeys.parse(first).derive('marks')[0]);
  });
});
