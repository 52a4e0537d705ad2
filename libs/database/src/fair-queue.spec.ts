import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { FairQueue, type FairQueueOptions } from './fair-queue.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A queue, and the calls that have begun, by their names: the tenant and a number. */
function recorded(options: Partial<FairQueueOptions> = {}) {
  const queue = new FairQueue({ slots: 4, timeoutMs: 5_000, ...options });
  const begun: string[] = [];
  const enter = async (name: string, connection?: EventEmitter) => {
    await queue.enter(name.charAt(0), connection);
    begun.push(name);
  };
  /** Lets what has been settled go on. */
  const settled = () => jest.advanceTimersByTimeAsync(0);
  return { queue, begun, enter, settled };
}

describe('the fair queue', () => {
  it('gives a tenant that is alone every slot, and beside another only its share', async () => {
    const { queue, begun, enter, settled } = recorded({ share: 2 });
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7']) void enter(name);
    await settled();
    expect(begun).toEqual(['a1', 'a2', 'a3', 'a4']);
    void enter('b1');
    queue.leave('a');
    await settled();
    expect(begun.slice(4)).toEqual(['b1']);
    // b is still present, so a gets no third slot, and the next call of b meets a free one.
    for (const tenant of ['b', 'a']) queue.leave(tenant);
    expect(queue.enter('b')).toBeUndefined();
    await settled();
    expect(begun.slice(5)).toEqual([]);
    queue.leave('b');
    // When b has been away for a while, a has them all again.
    await jest.advanceTimersByTimeAsync(2_000);
    queue.leave('a');
    await settled();
    expect(begun.slice(5)).toEqual(['a5', 'a6', 'a7']);
    expect(queue.waiting).toBe(0);
  });

  it('lets the calls of a tenant that is alone again begin with its next one, though none has ended', async () => {
    const { queue, begun, enter, settled } = recorded({ share: 1 });
    for (const name of ['b1', 'a1', 'a2']) void enter(name);
    queue.leave('b');
    await settled();
    expect(begun).toEqual(['b1', 'a1']);
    await jest.advanceTimersByTimeAsync(2_000);
    void enter('a3');
    await settled();
    expect(begun.slice(2)).toEqual(['a2', 'a3']);
  });

  it('forgets who waits too long, and whose client goes away', async () => {
    const { queue, begun, enter, settled } = recorded({ slots: 1, refusal: 'Busy' });
    const client = new EventEmitter();
    await enter('a1');
    const [gone, late] = [enter('a2', client), enter('b1')].map((one) => expect(one).rejects);
    const refused = [gone?.toMatchObject({ code: 'SERVICE_UNAVAILABLE' }), late?.toThrow('Busy')];
    client.emit('close');
    await settled();
    expect(queue.waiting).toBe(1);
    await jest.advanceTimersByTimeAsync(5_000);
    await Promise.all(refused);
    expect([queue.waiting, client.listenerCount('close')]).toEqual([0, 0]);
    queue.leave('a');
    await enter('c1');
    expect(begun).toEqual(['a1', 'c1']);
  });

  it('lets nobody wait for a free slot, and gives it to who has the fewest, in the order of each', async () => {
    const step = fc.record({ tenant: fc.constantFrom('a', 'b', 'c', 'd'), ends: fc.boolean() });
    const [slots, share] = [5, 3];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
        const { queue, begun, enter, settled } = recorded({ slots, share });
        const asked: string[] = [];
        const ended: Record<string, number> = {};
        const of = (names: readonly string[], tenant: string) => names.filter((name) => name.startsWith(tenant));
        const running = (tenant: string) => of(begun, tenant).length - (ended[tenant] ?? 0);
        const waits = (tenant: string) => of(asked, tenant).length > of(begun, tenant).length;
        const tenants = ['a', 'b', 'c', 'd'];
        for (const [turn, { tenant, ends }] of steps.entries()) {
          const before = tenants.filter(waits).map((waiting) => ({ waiting, had: running(waiting) }));
          const count = begun.length;
          if (ends && running(tenant) > 0) {
            ended[tenant] = (ended[tenant] ?? 0) + 1;
            for (const one of before) if (one.waiting === tenant) one.had -= 1;
            queue.leave(tenant);
          } else {
            asked.push(`${tenant}${turn}`);
            void enter(`${tenant}${turn}`);
          }
          await settled();
          const all = tenants.reduce((sum, one) => sum + running(one), 0);
          expect(all).toBeLessThanOrEqual(slots);
          for (const one of tenants) expect(of(asked, one).slice(0, of(begun, one).length)).toEqual(of(begun, one));
          if (all < slots) for (const one of tenants.filter(waits)) expect(running(one)).toBeGreaterThanOrEqual(share);
          const chosen = ends ? begun[count]?.charAt(0) : undefined;
          const had = before.find(({ waiting }) => waiting === chosen)?.had;
          if (had !== undefined) expect(had).toBe(Math.min(...before.map((one) => one.had)));
        }
        // Nobody waits for ever.
        while (tenants.some(waits)) {
          const tenant = tenants.find((one) => running(one) > 0) as string;
          ended[tenant] = (ended[tenant] ?? 0) + 1;
          queue.leave(tenant);
          await settled();
        }
      }),
    );
  });
});
