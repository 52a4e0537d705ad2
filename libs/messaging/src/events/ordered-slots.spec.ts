import { setImmediate as tick } from 'node:timers/promises';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { OrderedSlots } from './ordered-slots.js';

const READ_AHEAD = 200;
const BATCH = 10;

describe('ordered slots', () => {
  let slots: OrderedSlots;
  let log: string[];
  let ends: Map<string, () => void>;
  beforeEach(() => {
    log = [];
    ends = new Map();
  });

  const start = (size: number) => {
    slots = new OrderedSlots(size, READ_AHEAD, BATCH);
  };
  /** Work that runs until it is told to end, and says when it runs. */
  const add = (
    name: string,
    { tenantId = name, key = undefined as string | undefined, bytes = 1, isBehind = false } = {},
  ) =>
    slots.add(
      {
        tenantId,
        key,
        bytes,
        begin: async (shouldPutOff) => {
          log.push(shouldPutOff ? `${name}, crowding` : name);
          await new Promise<void>((resolve) => ends.set(name, resolve));
        },
      },
      isBehind ? BATCH / 2 + 1 : BATCH / 2,
    );
  const end = async (...names: string[]) => {
    for (const name of names) ends.get(name)?.();
    await tick();
    await tick();
  };
  const addMany = (tenantId: string, count: number, isBehind: boolean) => {
    for (let index = 0; index < count; index += 1) add(`${tenantId}${index}`, { tenantId, isBehind });
  };
  const hasCapacity = async () => Promise.race([slots.waitForCapacity().then(() => true), tick().then(() => false)]);

  it.each([
    ['as much work as there are slots', 2, undefined, ['a', 'b'], ['a', 'b', 'c']],
    ['what has the same key one after the other, and other keys concurrently', 4, 'same', ['a', 'c'], ['a', 'c', 'b']],
  ])('run %s', async (_what, size, key, first, all) => {
    start(size);
    add('a', { key });
    add('b', { key });
    add('c');
    expect(log).toEqual(first);
    await end('a');
    expect(log).toEqual(all);
    await end('b', 'c');
    await slots.drain();
  });

  it('serve tenants in turn, and leave slots for others', async () => {
    start(4);
    addMany('many', 6, false);
    expect(log).toEqual(['many0', 'many1']);
    add('few');
    expect(log).toEqual(['many0', 'many1', 'few']);
    addMany('other', 2, false);
    await end('many0');
    expect(log).toEqual(['many0', 'many1', 'few', 'other0']);
  });

  it('begin one for 32 that are read while more is, tenants round robin, and the rest when all is read', () => {
    start(1_000);
    addMany('many', 60, true);
    expect(log).toHaveLength(16 + 1);
    add('few', { isBehind: true });
    addMany('other', 36, true);
    expect(log.slice(17)).toEqual(['many17', 'few']);
    add('last');
    expect(log).toHaveLength(98);
  });

  it.each([
    ['something was read a moment ago', 499, 1],
    ['nothing has come since', 500, 14],
  ])('do not wait for what is not coming: %s', async (_when, laterMs, begun) => {
    start(1_000);
    const now = jest.spyOn(Date, 'now').mockReturnValue(0);
    addMany('many', 30, true);
    now.mockReturnValue(laterMs);
    const before = log.length;
    // The last of them makes space for one, in any case.
    await end(...ends.keys());
    now.mockRestore();
    expect(log.length - before).toBe(begun);
  });

  it('say that a tenant crowds out others when many wait, more is unread, and it has at least its share', async () => {
    start(4);
    addMany('few', 4, true);
    addMany('many', 194, true);
    expect(await hasCapacity()).toBe(false);
    await end('few0', 'many0');
    expect(log.slice(-2)).toEqual(expect.arrayContaining(['few2', 'many1, crowding']));
    add('last', { tenantId: 'many' });
    await end('many1');
    expect(log.at(-1)).not.toContain('crowding');
  });

  it.each([
    ['number', 191, 1],
    ['bytes', 2, 32 * 1024 * 1024],
  ])('have capacity for more until as much waits as may: by %s', async (_what, count, bytes) => {
    start(1);
    for (let index = 0; index <= count; index += 1) {
      expect(await hasCapacity()).toBe(true);
      add(`${index}`, { tenantId: 't', bytes });
    }
    expect(await hasCapacity()).toBe(false);
    await end(...ends.keys());
    for (let index = 1; index <= count; index += 1) await end(`${index}`);
    expect(await hasCapacity()).toBe(true);
    await slots.drain();
  });
});
