import { isUuid } from '@crm/contracts';
import { newId } from '@crm/database';
import { expect, it } from '@jest/globals';
import { stepId } from './run.actions.js';

it('a step has one id, whoever carries it out, and no other step has it', () => {
  const run = newId();
  expect(stepId(run, 1)).toBe(stepId(run, 1));
  expect(isUuid(stepId(run, 1))).toBe(true);
  expect(new Set([stepId(run, 0), stepId(run, 1), stepId(newId(), 1)]).size).toBe(3);
});
