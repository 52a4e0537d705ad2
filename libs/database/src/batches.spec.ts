import { describe, expect, it, jest } from '@jest/globals';
import { Batches, chunksByStatement, type Execution, MOST_WEIGHT, type Outcome } from './batches.js';

/** An execution whose batches are answered by the test, in the order in which they were begun. */
function recorded() {
  const begun: {
    writes: readonly string[];
    answer: (outcomes: Outcome<string>[]) => void;
    fail: (error: Error) => void;
  }[] = [];
  const alone: string[] = [];
  const execution: Execution<string, string> = {
    executeBatch: (writes) =>
      new Promise((answer, fail) => {
        begun.push({ writes, answer, fail });
      }),
    executeOne: async (write) => {
      alone.push(write);
      return `${write} alone`;
    },
    isCausedByOneCall: (error) => error instanceof TypeError,
    weightOf: (write) => write.length,
  };
  const batches = new Batches(execution);
  /** Makes calls in one turn, and waits until what can begin has begun. */
  const run = async (...writes: string[]): Promise<Promise<string>[]> => {
    const answers = writes.map((write) => batches.run('k', write));
    await turns();
    return answers;
  };
  const answer = async (index: number) => {
    const batch = begun[index] as (typeof begun)[number];
    batch.answer(batch.writes.map((write) => ({ result: `${write} together` })));
    await turns();
  };
  return { batches, run, begun, alone, answer, writes: () => begun.map(({ writes }) => writes.join(' ')) };
}

/** Long enough for what a turn settles to begin what follows. */
const turns = async () => {
  for (let count = 0; count < 3; count += 1) await new Promise((resolve) => setImmediate(resolve));
};
const together = (...writes: string[]) => writes.map((write) => `${write} together`);

describe('calls at the same time', () => {
  it('are one batch, and one that comes alone does not wait', async () => {
    const { run, answer, writes } = recorded();
    const answers = await run('a', 'b', 'c');
    expect(writes()).toEqual(['a b c']);
    await answer(0);
    expect(await Promise.all(answers)).toEqual(together('a', 'b', 'c'));
    const single = await run('d');
    expect(writes()).toEqual(['a b c', 'd']);
    await answer(1);
    expect(await Promise.all(single)).toEqual(together('d'));
  });

  it('wait for a batch that is under way, and are the next together', async () => {
    const { run, answer, writes } = recorded();
    const first = await run('a');
    const rest = [...(await run('b')), ...(await run('c', 'd'))];
    expect(writes()).toEqual(['a']);
    await answer(0);
    expect(writes()).toEqual(['a', 'b c d']);
    await answer(1);
    expect(await Promise.all([...first, ...rest])).toEqual(together('a', 'b', 'c', 'd'));
  });

  it('that did not fit into a batch are the first of the next', async () => {
    const { run, begun, writes } = recorded();
    const [first, ...rest] = await run('a', 'b', 'c');
    begun[0]?.answer([{ result: 'done' }, 'next', 'next']);
    expect(await first).toBe('done');
    await run('d');
    expect(writes()).toEqual(['a b c', 'b c d']);
    begun[1]?.answer([{ result: 'b' }, { result: 'c' }, { result: 'd' }]);
    expect(await Promise.all(rest)).toEqual(['b', 'c']);
  });

  it('are 64 at most', async () => {
    const { run, answer, begun } = recorded();
    const answers = await run(...Array.from({ length: 150 }, (_, index) => `${index}`));
    for (const batch of [0, 1, 2]) await answer(batch);
    expect(begun.map(({ writes }) => writes.length)).toEqual([64, 64, 22]);
    expect((await Promise.all(answers)).at(-1)).toBe('149 together');
  });

  it('are heavy only alone', async () => {
    const { run, answer, begun } = recorded();
    const heavy = 'x'.repeat(MOST_WEIGHT / 2);
    const answers = await run('a', heavy, heavy, `${heavy}${heavy}x`, 'b');
    for (const batch of [0, 1, 2, 3]) await answer(batch);
    await Promise.all(answers);
    expect(begun.map(({ writes }) => writes.length)).toEqual([2, 1, 1, 1]);
  });

  it('do not wait long for a batch that gets no answer', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    try {
      const { run, answer, begun } = recorded();
      const [late] = await run('a');
      const second = await run('b');
      expect(begun).toHaveLength(1);
      jest.advanceTimersByTime(10);
      await turns();
      expect(begun).toHaveLength(2);
      await answer(1);
      expect(await Promise.all(second)).toEqual(together('b'));
      // One that did not fit into such a batch is in a later one, though nothing else was under way any more.
      begun[0]?.answer(['next']);
      await turns();
      expect(begun.map(({ writes }) => writes)).toEqual([['a'], ['b'], ['a']]);
      await answer(2);
      expect(await late).toBe('a together');
    } finally {
      jest.useRealTimers();
    }
  });

  it('are no smaller where the database is slow: two batches are under way at most, until one of them counts no longer', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    try {
      const { run, writes } = recorded();
      for (const write of ['a', 'b', 'c', 'd']) {
        await run(write);
        jest.advanceTimersByTime(10);
        await turns();
      }
      expect(writes()).toEqual(['a', 'b']);
      jest.advanceTimersByTime(1_000);
      await turns();
      expect(writes()).toEqual(['a', 'b', 'c d']);
    } finally {
      jest.useRealTimers();
    }
  });

  it('fail with their batch when they cannot be carried out apart', async () => {
    const batches = new Batches<string, string>({
      executeBatch: async ([call]) => {
        if (call === 'x') throw new TypeError('one of them');
        return [null];
      },
    });
    const both = ['x', 'y'].map((call) => expect(batches.run('k', call)).rejects.toEqual(new TypeError('one of them')));
    await Promise.all(both);
    await expect(batches.run('k', 'z')).rejects.toThrow('no outcome');
  });

  it('of other keys wait for nothing', async () => {
    const { batches, answer, writes } = recorded();
    const answers = [batches.run('k', 'a'), batches.run('l', 'b'), batches.run('k', 'c')];
    await turns();
    expect(writes()).toEqual(['a c', 'b']);
    await answer(0);
    await answer(1);
    await Promise.all(answers);
  });

  it('take turns by group, and are repeated by group when their batch fails for the sake of one', async () => {
    const batches: string[] = [];
    const grouped = new Batches<string, string>({
      executeBatch: async (writes, groups) => {
        batches.push(groups.map((group) => group.join(' ')).join(', '));
        if (writes.includes('a70')) throw new TypeError('one of them');
        return writes.map((result) => ({ result }));
      },
      groupOf: ([group]) => group as string,
      executeOne: async (write) => `${write} alone`,
      isCausedByOneCall: (error) => error instanceof TypeError,
    });
    const writes = Array.from({ length: 71 }, (_, index) => `a${index}`);
    const answers = [...writes, 'b0', 'b1', 'c0'].map((write) => grouped.run('k', write));
    expect(await Promise.all(answers)).toEqual([
      ...writes.slice(0, 61),
      ...writes.slice(61).map((write) => `${write} alone`),
      'b0',
      'b1',
      'c0',
    ]);
    expect(batches).toEqual([`${writes.slice(0, 61).join(' ')}, b0 b1, c0`, writes.slice(61).join(' ')]);
    // The others of a failed batch are carried out with their group.
    batches.length = 0;
    const failing = ['a70', 'b2', 'b3'].map((write) => grouped.run('k', write));
    expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual([
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(batches).toEqual(['a70, b2 b3', 'a70', 'b2 b3']);
  });

  it('have an outcome each', async () => {
    const { run, begun, alone } = recorded();
    const answers = await run('a', 'b', 'c');
    const refusal = new Error('refused');
    begun[0]?.answer([{ result: 'a together' }, { error: refusal }, null]);
    expect(await Promise.allSettled(answers)).toEqual([
      { status: 'fulfilled', value: 'a together' },
      { status: 'rejected', reason: refusal },
      { status: 'fulfilled', value: 'c alone' },
    ]);
    expect(alone).toEqual(['c']);
  });

  it('are carried out alone when the batch fails for the sake of one', async () => {
    const { run, begun } = recorded();
    const answers = await run('a', 'b');
    begun[0]?.fail(new TypeError('one of them'));
    expect(await Promise.all(answers)).toEqual(['a alone', 'b alone']);
  });

  it('fail with their batch for what concerns all, or when there is no other in it', async () => {
    const { run, answer, begun, alone } = recorded();
    const both = await run('a', 'b');
    const gone = new Error('the server is gone');
    begun[0]?.fail(gone);
    const failed = { status: 'rejected', reason: gone };
    expect(await Promise.allSettled(both)).toEqual([failed, failed]);
    const [single] = await run('c');
    begun[1]?.fail(new TypeError('its own'));
    await expect(single).rejects.toThrow('its own');
    expect(alone).toEqual([]);
    // The next one is carried out all the same.
    const next = await run('d');
    await answer(2);
    expect(await Promise.all(next)).toEqual(together('d'));
  });
});

describe('rows that each hold a copy of one text', () => {
  const rows = ['a', 'b', 'c', 'd', 'e'];

  it.each([
    ['all at once while they are short', 3_200_000, [['a', 'b', 'c', 'd', 'e']]],
    ['as many as sixteen megabytes hold', 8_000_000, [['a', 'b'], ['c', 'd'], ['e']]],
    ['one by one when each is longer', 20_000_000, [['a'], ['b'], ['c'], ['d'], ['e']]],
    ['all at once when there is no text', 0, [['a', 'b', 'c', 'd', 'e']]],
  ])('are written %s', (_name, bytes, parts) => {
    expect(chunksByStatement(rows, bytes)).toEqual(parts);
  });

  it('need no statement when there are no rows', () => {
    expect(chunksByStatement([], 1)).toEqual([]);
  });
});
