import { setImmediate } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { inPieces, type Steps } from './steps.js';

it('what several do at the same time gives others a turn between two long steps, whosever they are', async () => {
  let turns = 0;
  const turnsOfSteps: number[] = [];
  function* work(): Steps<void> {
    for (let step = 0; step < 3; step += 1) {
      turnsOfSteps.push(turns);
      for (const begun = performance.now(); performance.now() - begun < 10; );
      yield;
    }
  }
  let isDone = false;
  // First, so that it is the first of each turn.
  const counting = (async () => {
    while (!isDone) {
      await setImmediate();
      turns += 1;
    }
  })();
  await Promise.all([work(), work(), work()].map(inPieces));
  isDone = true;
  await counting;
  expect(turnsOfSteps).toHaveLength(9);
  expect(new Set(turnsOfSteps).size).toBe(9);
});

it('what is short waits for nothing', async () => {
  await setImmediate();
  let turns = 0;
  const count = setImmediate().then(() => {
    turns += 1;
  });
  function* work(): Steps<number> {
    yield;
    return turns;
  }
  expect(await Promise.all([inPieces(work()), inPieces(work())])).toEqual([0, 0]);
  await count;
});
