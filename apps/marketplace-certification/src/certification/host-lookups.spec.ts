import { describe, expect, it } from '@jest/globals';
import { boundedResolver, LOOKUPS_AT_A_TIME, LOOKUPS_OF_A_TENANT, SharedLookups } from './host-lookups.js';

describe('boundedResolver', () => {
  it('looks up every name, a few at a time, even when others fail', async () => {
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
    }, 25);
    const answers = await Promise.allSettled(names.map(resolver));
    expect(answers).toEqual(
      names.map((name) =>
        name.endsWith('7')
          ? { status: 'rejected', reason: new Error(`${name} does not resolve`) }
          : { status: 'fulfilled', value: [name] },
      ),
    );
    expect(most).toBe(25);
  });
});

describe('SharedLookups', () => {
  /** Lookups that get no answer until a test gives one, in the order in which they began. */
  function silent() {
    const asked: string[] = [];
    const answers: (() => void)[] = [];
    const shared = new SharedLookups(async (hostname) => {
      asked.push(hostname);
      await new Promise<void>((answer) => answers.push(answer));
      return [];
    });
    return { asked, answers, shared };
  }

  /** Waits until every lookup that may begin has begun: only promises that are settled already are in between. */
  const allAsked = () => new Promise((done) => setImmediate(done));

  it('limits a publisher to its share, so that other publishers do not wait for the rest of its names', async () => {
    const { asked, shared } = silent();
    const resolve = shared.for('a');
    for (let index = 0; index < 1000; index++) void resolve(`a${index}`);
    // A second certification of the publisher does not get a share of its own.
    void shared.for('a')('again');
    void shared.for('b')('b');
    await allAsked();
    expect(asked).toHaveLength(LOOKUPS_OF_A_TENANT + 1);
    expect(asked.at(-1)).toBe('b');
  });

  it('limits the lookups of the process', async () => {
    const { asked, answers, shared } = silent();
    for (let tenant = 0; tenant < 100; tenant++) {
      for (let index = 0; index < 10; index++) void shared.for(`tenant ${tenant}`)(`${tenant}/${index}`);
    }
    await allAsked();
    expect(asked).toHaveLength(LOOKUPS_AT_A_TIME);
    answers[0]!();
    await allAsked();
    expect(asked).toHaveLength(LOOKUPS_AT_A_TIME + 1);
  });
});
