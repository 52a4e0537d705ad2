import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MemoryCounter } from './memory-counter.js';

describe('a counter in memory', () => {
  it('counts the uses of a key in a window that begins with the first', () => {
    let now = 1_000;
    const counter = new MemoryCounter(60_000, () => now);
    expect(counter.find('a')).toBeUndefined();
    expect(counter.use('a')).toEqual({ used: 1, endsInMs: 60_000 });
    now += 59_999;
    expect(counter.use('a')).toEqual({ used: 2, endsInMs: 1 });
    expect(counter.find('a')).toEqual({ used: 2, endsInMs: 1 });
    now += 1;
    expect(counter.find('a')).toBeUndefined();
    expect(counter.use('a')).toEqual({ used: 1, endsInMs: 60_000 });
  });

  it('counts like a list of all uses, and keeps no key longer than until the next window begins', () => {
    const steps = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), wait: fc.nat({ max: 15 }) }));
    fc.assert(
      fc.property(steps, (taken) => {
        let now = 0;
        const counter = new MemoryCounter(20, () => now);
        const begun = new Map<string, { at: number; used: number }>();
        for (const { key, wait } of taken) {
          now += wait;
          const known = begun.get(key);
          const window = known && now < known.at + 20 ? known : { at: now, used: 0 };
          window.used += 1;
          begun.set(key, window);
          expect(counter.use(key)).toEqual({ used: window.used, endsInMs: window.at + 20 - now });
        }
        now += 20;
        counter.use('other');
        const { windows } = counter as unknown as { readonly windows: ReadonlyMap<string, unknown> };
        expect([...windows.keys()]).toEqual(['other']);
      }),
    );
  });
});
