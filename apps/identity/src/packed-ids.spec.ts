import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { packIds, unpackIds } from './packed-ids.js';

describe('packed ids', () => {
  it('are unpacked to the same ids', () => {
    const ids = [randomUUID(), randomUUID()];
    expect(unpackIds(packIds(...ids), 2)).toEqual(ids);
  });

  it.each([
    ['', 2],
    ['not base64!', 2],
    [packIds(randomUUID()), 2],
    [`${packIds(randomUUID())}=`, 1],
  ])('rejects %p as %p packed ids', (text, count) => {
    expect(unpackIds(text, count)).toBeUndefined();
  });
});
