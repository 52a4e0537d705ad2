import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Suspensions } from './revocation-watch.js';

const DAY_MS = 86_400_000;

describe('the suspended tenants', () => {
  it('are the same in whatever order, and however often, the decisions arrive', () => {
    const decision = fc.record({ tenant: fc.constantFrom('a', 'b'), suspends: fc.boolean() });
    fc.assert(
      fc.property(fc.array(decision, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (decisions, random) => {
        const dated = decisions.map((one, index) => ({ ...one, atMs: index + 1 }));
        const last = new Map(dated.map(({ tenant, suspends }) => [tenant, suspends]));
        const expected = [...last].filter(([, suspends]) => suspends).map(([tenant]) => tenant);
        const suspensions = new Suspensions();
        const shuffled = [...dated, ...dated].map((one) => ({ one, by: random.next().value as number }));
        for (const { one } of shuffled.sort((a, b) => a.by - b.by)) {
          if (one.suspends) suspensions.suspend(one.tenant, one.atMs);
          else suspensions.reinstate(one.tenant, one.atMs);
        }
        expect([...suspensions.list()].sort()).toEqual(expected.sort());
        expect(['a', 'b'].filter((tenant) => suspensions.has(tenant))).toEqual(expected.sort());
      }),
    );
  });

  it('are forgotten when they were reinstated long ago, and never before', () => {
    const suspensions = new Suspensions();
    suspensions.suspend('kept', 1);
    suspensions.suspend('lifted', 1);
    suspensions.reinstate('lifted', 2);
    suspensions.suspend('again', 1);
    suspensions.reinstate('again', 2);
    suspensions.suspend('again', 3);
    suspensions.prune(2 + 2 * DAY_MS);
    expect(suspensions.size).toBe(5);
    suspensions.prune(3 + 2 * DAY_MS);
    expect([suspensions.size, ...suspensions.list()]).toEqual([2, 'kept', 'again']);
    suspensions.prune(1_000 * DAY_MS);
    expect(suspensions.list()).toEqual(['kept', 'again']);
  });

  it('are not suspended again by a bucket that is read again, which gives what was lifted first', () => {
    const suspensions = new Suspensions();
    suspensions.suspend('lifted', 1);
    suspensions.reinstate('lifted', 2);
    suspensions.prune(2 + DAY_MS);
    suspensions.suspend('lifted', 1);
    expect(suspensions.list()).toEqual([]);
  });
});
