import { describe, expect, it } from '@jest/globals';
import { VerifiedTokens } from './verified-tokens.js';

describe('VerifiedTokens', () => {
  it('forgets the least recently used when it is full', () => {
    const entry = {} as Parameters<VerifiedTokens['set']>[1];
    const tokens = new VerifiedTokens(2);
    tokens.set('a', entry);
    tokens.set('b', entry);
    tokens.get('a');
    tokens.set('c', entry);
    expect([tokens.get('a'), tokens.get('b'), tokens.get('c')].map(Boolean)).toEqual([true, false, true]);
    expect(tokens.size).toBe(2);
  });
});
