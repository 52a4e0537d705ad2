import { describe, expect, it } from '@jest/globals';
import { boundedResolver, LOOKUPS_AT_A_TIME } from './bounded-resolver.js';

describe('boundedResolver', () => {
  it('asks for every name, a few at a time, whatever becomes of the others', async () => {
    let current = 0;
    let most = 0;
    const names = Array.from({ length: 100 }, (_, i) => `h${i}`);
    const resolver = boundedResolver(async (hostname) => {
      current += 1;
      most = Math.max(most, current);
      await Promise.resolve();
      current -= 1;
      if (hostname.endsWith('7')) throw new Error(`${hostname} does not resolve`);
      return [hostname];
    });
    const answers = await Promise.allSettled(names.map(resolver));
    expect(answers).toEqual(
      names.map((name) =>
        name.endsWith('7')
          ? { status: 'rejected', reason: new Error(`${name} does not resolve`) }
          : { status: 'fulfilled', value: [name] },
      ),
    );
    expect(most).toBe(LOOKUPS_AT_A_TIME);
  });
});
