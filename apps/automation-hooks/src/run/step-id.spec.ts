import { isUuid } from '@crm/contracts';
import { newId } from '@crm/database';
import { expect, it } from '@jest/globals';
import { stepId } from './step.js';

it('gives a step the same id each time it is executed, and other steps other ids', () => {
  const run = newId();
  expect(stepId(run, 1)).toBe(stepId(run, 1));
  expect(isUuid(stepId(run, 1))).toBe(true);
  expect(new Set([stepId(run, 0), stepId(run, 1), stepId(newId(), 1)]).size).toBe(3);
});
