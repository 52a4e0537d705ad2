import { describe, expect, it } from '@jest/globals';
import { planFaults, TARGETS } from './fault-plan.js';

describe('the plan of faults', () => {
  const plan = planFaults({ seed: 7, leads: 1_000, rounds: 4 });

  it('is the same for the same seed, and another one for another', () => {
    expect(planFaults({ seed: 7, leads: 1_000, rounds: 4 })).toEqual(plan);
    expect(planFaults({ seed: 8, leads: 1_000, rounds: 4 })).not.toEqual(plan);
  });

  it('kills everything in each round, and deletes the store of NATS once', () => {
    const killed = plan.faults.map(({ target }) => target);
    for (const target of TARGETS) expect(killed.filter((one) => one === target)).toHaveLength(4);
    expect(killed.filter((one) => one === 'NATS, store deleted')).toHaveLength(1);
  });

  it('has its moments in order, while leads are accepted', () => {
    const moments = plan.faults.map(({ after }) => after);
    expect(moments).toEqual(moments.toSorted((left, right) => left - right));
    expect(moments[0]).toBeGreaterThan(0);
    expect(moments.at(-1)).toBeLessThanOrEqual(1_000);
  });
});
