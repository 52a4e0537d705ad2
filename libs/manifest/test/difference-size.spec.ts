import { describe, expect, it } from '@jest/globals';
import { differences, type Fragment, hook, text } from './differences.js';

describe('very large packages', () => {
  const formulas = (factor: number): Fragment => ({
    objects: Array.from({ length: 100 }, (_, i) => ({
      apiName: `object_${i}`,
      fields: Array.from({ length: 20 }, (_, j) =>
        j < 10
          ? { apiName: `field_${j}`, type: 'number', readRoles: ['admin'] }
          : { apiName: `field_${j}`, type: 'formula', expression: `field_${j - 5} * ${factor}`, exposes: j > 14 },
      ),
    })),
  });
  const many = (count: number, of: (i: number) => Fragment): Fragment[] =>
    Array.from({ length: count }, (_, i) => of(i));

  it.each<[string, Fragment, Fragment, number]>([
    ['formulas', formulas(1), formulas(2), 1_000],
    [
      'webhooks',
      { webhooks: many(2_000, (i) => ({ url: `https://a${i % 50}.example.com/${i}`, events: ['lead.created'] })) },
      { webhooks: many(2_000, (i) => ({ url: `https://a${i % 50}.example.com/x${i}`, events: ['lead.updated'] })) },
      4_002,
    ],
    [
      'options',
      text({ type: 'picklist', options: many(5_000, (i) => ({ value: `a${i}`, label: 'x' })) }),
      text({ type: 'picklist', options: many(5_000, (i) => ({ value: `b${i}`, label: 'x' })) }),
      10_000,
    ],
    [
      'duplicates',
      hook(...many(5_000, () => ({ type: 'wait', seconds: 1 }))),
      hook(...many(5_000, () => ({ type: 'wait', seconds: 2 }))),
      5_000,
    ],
  ])('are compared in linear time: %s', (_what, before, after, count) => {
    const startedAt = performance.now();
    expect(differences(before, after)).toHaveLength(count);
    // Each takes a fraction of a second; the limit only distinguishes linear from quadratic time on a busy machine.
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});
