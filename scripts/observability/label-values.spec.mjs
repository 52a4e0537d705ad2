import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { allDashboards, allRules, filesIn, RUNBOOKS } from './files.mjs';
import { unknownValues } from './label-values.mjs';
import { matchersOf } from './promql.mjs';

/** @type {[place: string, expression: string][]} */
const expressions = [
  ...allRules().map(({ alert, record, expr }) => /** @type {[string, string]} */ ([alert ?? record ?? '', expr])),
  ...allDashboards().flatMap(([file, { panels }]) =>
    panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => /** @type {[string, string]} */ ([`${file}, ${title}`, expr])),
    ),
  ),
  ...filesIn(RUNBOOKS, '.md').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/```promql\n([\s\S]*?)```/g)].map(
      ([, block = '']) => /** @type {[string, string]} */ ([path.basename(file), block]),
    ),
  ),
];

describe('the values that are asked for', () => {
  it('can occur: in rules, dashboards and runbooks', () => {
    const matchers = expressions.flatMap(([place, text]) => matchersOf(text).map((matcher) => ({ place, matcher })));
    expect(matchers.length).toBeGreaterThan(50);
    expect(matchers.flatMap(({ place, matcher }) => unknownValues(matcher).map((one) => `${place}: ${one}`))).toEqual(
      [],
    );
  });

  it.each([
    ['webhook_attempts_total{outcome=~"dns|timeout"}', ['webhook_attempts_total has no outcome timeout']],
    ['webhook_attempts_total{outcome=~"timeout_.*"}', []],
    ['webhook_attempts_total{outcome="ok"}', ['webhook_attempts_total has no outcome ok']],
    ['due_work_items{queue!="deliverys"}', ['due_work_items has no queue deliverys']],
    ['up{job="api"}', ['up has no job api']],
    ['rpc_request_seconds_count{code=~"INTERNAL"}', ['rpc_request_seconds_count has no code INTERNAL']],
    ['a{stage="x"}', ['a stage: what it can be is not known']],
  ])('are compared with the code: %s', (expression, problems) => {
    expect(matchersOf(expression).flatMap(unknownValues)).toEqual(problems);
  });
});
