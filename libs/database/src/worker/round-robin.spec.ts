import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RoundRobin } from './round-robin.js';

/** Adds to the line of a tenant, or takes from that of one of these tenants. */
const step = fc.oneof(
  fc.record({ add: fc.nat({ max: 4 }) }),
  fc.record({ takeFrom: fc.uniqueArray(fc.nat({ max: 4 }), { minLength: 1 }) }),
);

describe('the lines of tenants', () => {
  it('lose nothing, keep the order of each tenant, and serve nobody twice while another waits that may be served', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const lines = new RoundRobin<{ tenantId: string; number: number }>();
        const waiting = new Map<string, number[]>();
        /** By tenant: who was served while it waited and might have been. */
        const servedBefore = new Map<string, Set<string>>();
        for (const [number, one] of steps.entries()) {
          if ('add' in one) {
            const tenantId = `${one.add}`;
            lines.add(tenantId, { tenantId, number });
            waiting.set(tenantId, [...(waiting.get(tenantId) ?? []), number]);
            continue;
          }
          const mayHave = (tenantId: string) => one.takeFrom.includes(Number(tenantId));
          const candidates = [...waiting.keys()].filter(
            (tenantId) => waiting.get(tenantId)?.length && mayHave(tenantId),
          );
          const taken = lines.take(mayHave);
          if (candidates.length === 0) {
            expect(taken).toBeUndefined();
            continue;
          }
          const { tenantId = '' } = taken ?? {};
          expect(candidates).toContain(tenantId);
          expect(taken?.number).toBe(waiting.get(tenantId)?.shift());
          servedBefore.delete(tenantId);
          for (const other of candidates.filter((one) => one !== tenantId)) {
            const served = servedBefore.get(other) ?? new Set();
            expect(served).not.toContain(tenantId);
            servedBefore.set(other, served.add(tenantId));
          }
        }
        expect(lines.length).toBe([...waiting.values()].flat().length);
      }),
    );
  });

  it('are long from an equal share on', () => {
    const lines = new RoundRobin<number>();
    for (const tenantId of ['a', 'a', 'a', 'b', 'c', 'c']) lines.add(tenantId, 0);
    expect(['a', 'b', 'c', 'd'].map((tenantId) => lines.hasFairShare(tenantId))).toEqual([true, false, true, false]);
  });
});
