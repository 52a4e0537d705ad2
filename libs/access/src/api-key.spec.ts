import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { API_KEY_PATTERN, apiKeyFingerprint, apiKeyStart, makeApiKey, readApiKey } from './api-key.js';

const ids = fc.record({ keyId: fc.uuid(), tenantId: fc.uuid() });
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('an API key', () => {
  it('says which key of which tenant it is, whatever the ids', () => {
    fc.assert(fc.property(ids, (of) => expect(readApiKey(makeApiKey(of))).toEqual(of)));
    const extremes = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'] as const;
    for (const keyId of extremes) {
      for (const tenantId of extremes) expect(readApiKey(makeApiKey({ keyId, tenantId }))).toEqual({ keyId, tenantId });
    }
  });

  it('has one shape that programs which look for secrets find, and begins as a list shows it', () => {
    fc.assert(
      fc.property(ids, (of) => {
        const key = makeApiKey(of);
        expect(key).toMatch(API_KEY_PATTERN);
        expect(key.length).toBe(99);
        expect(key.startsWith(apiKeyStart(of.keyId))).toBe(true);
        expect(apiKeyStart(of.keyId).length).toBe(17);
      }),
    );
  });

  it('is another one each time', () => {
    const of = { keyId: '0199aa00-0000-7000-8000-000000000001', tenantId: '0199aa00-0000-7000-8000-000000000002' };
    expect(new Set(Array.from({ length: 100 }, () => makeApiKey(of))).size).toBe(100);
  });

  it('is not read with one character exchanged for another', () => {
    fc.assert(
      fc.property(ids, fc.nat(), fc.constantFrom(...DIGITS, '_', '-', ' '), (of, seed, character) => {
        const key = makeApiKey(of);
        const at = seed % key.length;
        fc.pre(key[at] !== character);
        expect(readApiKey(key.slice(0, at) + character + key.slice(at + 1))).toBeUndefined();
      }),
    );
  });

  it('is not read cut off, with something added, or from any other text', () => {
    fc.assert(
      fc.property(ids, fc.nat(), (of, seed) => {
        const key = makeApiKey(of);
        expect(readApiKey(key.slice(0, seed % key.length))).toBeUndefined();
        expect(readApiKey(key.slice(1 + (seed % key.length)))).toBeUndefined();
        expect(readApiKey(`${key}0`)).toBeUndefined();
        expect(readApiKey(`${key}\n`)).toBeUndefined();
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => expect(readApiKey(text)).toBeUndefined()));
    fc.assert(fc.property(fc.string(), (text) => expect(readApiKey(`crmk_${text}`)).toBeUndefined()));
  });

  it('is known by its SHA-256', () => {
    fc.assert(
      fc.property(ids, (of) => {
        const key = makeApiKey(of);
        expect(apiKeyFingerprint(key)).toBe(createHash('sha256').update(key).digest('hex'));
      }),
    );
  });
});
