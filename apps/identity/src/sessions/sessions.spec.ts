import { describe, expect, it } from '@jest/globals';
import { hashSecret, newSecret } from '../secrets.js';
import { openSuccessor, sealSuccessor } from './refresh-token.repository.js';
import { type SigningKey } from './sessions.entity.js';
import { measureSigningKeys, signingKeyOf, signsSince } from './signing-key.service.js';

describe('the sealed successor of a refresh token', () => {
  it('is opened with the token that it replaced', () => {
    const [token, successor] = [newSecret(), newSecret()];
    expect(openSuccessor(token, sealSuccessor(token, successor))).toBe(successor);
  });

  it('is opened neither with what the database has of the token nor with another token', () => {
    const [token, successor] = [newSecret(), newSecret()];
    const sealed = sealSuccessor(token, successor);
    for (const other of [newSecret(), hashSecret(token).toString('base64url'), hashSecret(token).toString('hex')]) {
      expect(() => openSuccessor(other, sealed)).toThrow();
    }
  });
});

const HOUR_MS = 3_600_000;
const key = (group: 'api' | 'admin', hours: number) =>
  ({ group, signsFrom: new Date(Date.now() + hours * HOUR_MS) }) as SigningKey;

describe('the age of the signing keys', () => {
  it('is that of the key that signs now, not of one that only verifies or is yet to sign', async () => {
    const current = key('api', -2);
    const operators = key('admin', -40);
    measureSigningKeys([key('api', -90), operators, current, key('api', 1)]);
    const { values } = await signsSince.get();
    const found = Object.fromEntries(values.map(({ labels, value }) => [labels.group, value]));
    expect(found).toEqual({ api: current.signsFrom.getTime() / 1000, admin: operators.signsFrom.getTime() / 1000 });
  });
});

describe('the key that signs', () => {
  it.each([
    ['the last one that has begun to', [-90, -2, 0.1], 1],
    ['one that a clock made which was ahead', [-90, 1], 1],
    ['the last of them', [1, 720], 1],
    ['the first one where the clock is behind all', [0.1, 0.15], 0],
  ])('is %s', (_, hours, expected) => {
    const keys = hours.map((from) => key('api', from));
    expect(signingKeyOf(keys, Date.now())).toBe(keys[expected]);
  });
});
