import { setImmediate as tick } from 'node:timers/promises';
import { describe, expect, it, jest } from '@jest/globals';
import { OrderedSlots } from './ordered-slots.js';

/** Work that runs until it is told to end, and says when it runs. */
function work(log: string[], name: string): { run: () => Promise<void>; end(): void } {
  let end!: () => void;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    run: async () => {
      log.push(`${name} starts`);
      await ended;
      log.push(`${name} ends`);
    },
    end,
  };
}

describe('ordered slots', () => {
  it.each([
    ['as many items as there are slots', 2, ['a', 'b', 'c'], [0, 1], 1, 2],
    ['items with the same key one after the other, and other keys concurrently', 4, ['a', 'a', 'b'], [0, 2], 0, 1],
  ])('run %s', async (_what, size, keys, first, ending, next) => {
    const log: string[] = [];
    const slots = new OrderedSlots(size);
    const items = keys.map((_key, index) => work(log, `${index}`));
    for (const [index, item] of items.entries()) slots.run(keys[index]!, item.run);
    await tick();
    const begun = first.map((index) => `${index} starts`);
    expect(log).toEqual(begun);
    items[ending]?.end();
    await tick();
    expect(log).toEqual([...begun, `${ending} ends`, `${next} starts`]);
    for (const item of items) item.end();
    await slots.drain();
  });

  it('report when a slot is free', async () => {
    const slots = new OrderedSlots(1);
    await slots.room();
    const one = work([], 'one');
    slots.run('k', one.run);
    await tick();
    const hasRoom = jest.fn();
    const waiting = slots.room().then(hasRoom);
    await tick();
    expect(hasRoom).not.toHaveBeenCalled();
    one.end();
    await waiting;
    await slots.drain();
  });
});
