import { describe, expect, it } from '@jest/globals';
import { Limiter } from './limiter.js';
import { MemoryLimiterStore } from './limiter-store.js';

const LIMIT = { name: 'sign-in', points: 2, windowSeconds: 60 };
const REFUSED = {
  code: 'RATE_LIMITED',
  message: 'Too many attempts',
  extra: { limits: [{ name: 'sign-in', quota: 2, windowSeconds: 60, remaining: 0, resetSeconds: 60 }] },
};

describe('a limiter', () => {
  const limiter = () => new Limiter(new MemoryLimiterStore(), LIMIT, 'Too many attempts');

  it('returns the remaining points of a key and refuses when none are left, without affecting other keys', async () => {
    const limit = limiter();
    expect((await limit.consume('a')).remaining).toBe(1);
    expect((await limit.consume('a')).remaining).toBe(0);
    await expect(limit.consume('a')).rejects.toMatchObject(REFUSED);
    expect((await limit.consume('b')).remaining).toBe(1);
  });

  it('that counts failures refuses before the attempt and consumes no point for the check', async () => {
    const limit = limiter();
    for (let index = 0; index < 5; index += 1) await limit.refuseExhausted('a');
    await limit.penalise('a');
    await limit.refuseExhausted('a');
    await limit.penalise('a');
    await expect(limit.refuseExhausted('a')).rejects.toMatchObject(REFUSED);
  });

  it('passes on the error of its store', async () => {
    const broken = new MemoryLimiterStore();
    const counts = broken.open(LIMIT);
    counts.consume = () => Promise.reject(new Error('The store is away'));
    broken.open = () => counts;
    await expect(new Limiter(broken, LIMIT).consume('a')).rejects.toThrow('The store is away');
  });
});
