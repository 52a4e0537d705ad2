import { describe, expect, it } from '@jest/globals';
import { groupingsOf, matchersOf, selectorsOf } from './promql.mjs';

describe('what an expression asks for', () => {
  it.each([
    ['up', [{ name: 'up', labels: [] }]],
    [
      'sum by (service) (rate(a_total{code=~"x|y",side!="z"}[5m])) > 0.05 * sum(b)',
      [
        { name: 'a_total', labels: ['code', 'side'] },
        { name: 'b', labels: [] },
      ],
    ],
    [
      'time() - max(a) > 90 * 86400 and slo:x:ratio_1h > 14.4 * 1e-3',
      [
        { name: 'a', labels: [] },
        { name: 'slo:x:ratio_1h', labels: [] },
      ],
    ],
    [
      'histogram_quantile(0.9, sum by (le) (rate(a_bucket{le="0.5"}[$__rate_interval])))',
      [{ name: 'a_bucket', labels: ['le'] }],
    ],
    ['a # of b\n or vector(0)', [{ name: 'a', labels: [] }]],
    ['a{route=~"/x/(b|c){2}"}', [{ name: 'a', labels: ['route'] }]],
    [
      'a{b="c"} / on (service) d',
      [
        { name: 'a', labels: ['b'] },
        { name: 'd', labels: [] },
      ],
    ],
  ])('%s', (expression, expected) => {
    expect(selectorsOf(expression)).toEqual(expected);
  });

  it('is narrowed by values', () => {
    expect(matchersOf('rate(a{b="c",d!~"e{2}|f"}[5m]) / x{y="z"}')).toEqual([
      { name: 'a', label: 'b', isPattern: false, value: 'c' },
      { name: 'a', label: 'd', isPattern: true, value: 'e{2}|f' },
      { name: 'x', label: 'y', isPattern: false, value: 'z' },
    ]);
  });

  it('is grouped by labels', () => {
    expect(groupingsOf('sum by (a, le) (x) / on (b) y')).toEqual(['a', 'le', 'b']);
  });
});
