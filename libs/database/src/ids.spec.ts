import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { idOf, millisecondsOfId, newId } from './ids.js';

describe('new ids', () => {
  const ids = Array.from({ length: 20_000 }, newId);

  it('are UUIDs of version 7 with the time', () => {
    const now = Date.now();
    const form = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    expect(ids.filter((id) => !form.test(id))).toEqual([]);
    const time = Number.parseInt((ids[0] as string).replace('-', '').slice(0, 12), 16);
    expect(Math.abs(now - time)).toBeLessThan(60_000);
  });

  it('are different, and in the order in which they were made', () => {
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
    // Two in the same millisecond differ in the rest, which is random.
    expect(new Set(ids.map((id) => id.slice(-8))).size).toBeGreaterThan(ids.length - 10);
  });

  it('stay in order when the clock is set back a little, and follow it when it is set back far', () => {
    const start = Date.now();
    const clock = jest.spyOn(Date, 'now');
    const at = (ms: number) => {
      clock.mockReturnValue(start + ms);
      return newId();
    };
    try {
      const ahead = at(300_000);
      const little = at(295_000);
      expect(little > ahead).toBe(true);
      expect(millisecondsOfId(little)).toBe(start + 300_000);
      expect(millisecondsOfId(at(0))).toBe(start);
    } finally {
      clock.mockRestore();
    }
  });
});

describe('ids of a cause', () => {
  const times = fc.integer({ min: 0, max: 2 ** 48 - 1 });
  const parts = fc.array(fc.string(), { maxLength: 4 });

  it('are UUIDs of version 7 with the time of the cause, the same each time', () => {
    fc.assert(
      fc.property(times, parts, (ms, of) => {
        const id = idOf(ms, ...of);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(millisecondsOfId(id)).toBe(ms);
        expect(idOf(ms, ...of)).toBe(id);
      }),
    );
  });

  it('differ by what they are about, wherever the parts are divided', () => {
    fc.assert(
      fc.property(times, parts, parts, (ms, one, other) => {
        expect(idOf(ms, ...one) === idOf(ms, ...other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
    );
    expect(idOf(1, 'ab', 'c')).not.toBe(idOf(1, 'a', 'bc'));
  });

  it('need a time that fits', () => {
    for (const ms of [2 ** 48, -1, 0.5, Number.NaN]) expect(() => idOf(ms, 'x')).toThrow('48 bits');
  });
});
