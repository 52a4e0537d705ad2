import { setImmediate as tick } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
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
  it('run as many items as there are slots, and the next when one ends', async () => {
    const log: string[] = [];
    const slots = new OrderedSlots(2);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => work(log, name));
    slots.run('a', a!.run);
    slots.run('b', b!.run);
    slots.run('c', c!.run);
    await tick();
    expect(log).toEqual(['a starts', 'b starts']);
    b!.end();
    await tick();
    expect(log).toEqual(['a starts', 'b starts', 'b ends', 'c starts']);
    a!.end();
    c!.end();
    await slots.drain();
  });

  it('run items with the same key one after the other, and other keys concurrently', async () => {
    const log: string[] = [];
    const slots = new OrderedSlots(4);
    const [first, second, other] = ['first', 'second', 'other'].map((name) => work(log, name));
    slots.run('key', first!.run);
    slots.run('key', second!.run);
    slots.run('other', other!.run);
    await tick();
    expect(log).toEqual(['first starts', 'other starts']);
    first!.end();
    await tick();
    expect(log).toEqual(['first starts', 'other starts', 'first ends', 'second starts']);
    second!.end();
    other!.end();
    await slots.drain();
  });

  it('report when a slot is free', async () => {
    const slots = new OrderedSlots(1);
    await slots.room();
    const one = work([], 'one');
    slots.run('k', one.run);
    await tick();
    let room = false;
    const waiting = slots.room().then(() => {
      room = true;
    });
    await tick();
    expect(room).toBe(false);
    one.end();
    await waiting;
    await slots.drain();
  });
});
