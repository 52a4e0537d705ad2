import { describe, expect, it, jest } from '@jest/globals';
import { Batches, copiesByStatement, type Execution, MOST_WEIGHT, type Outcome } from './batches.js';

/** An execution whose batches are answered by the test, in the order in which they were begun. */
function recorded() {
  const begun: {
    writes: readonly string[];
    answer: (outcomes: Outcome<string>[]) => void;
    fail: (error: Error) => void;
  }[] = [];
  const alone: string[] = [];
  const execution: Execution<string, string> = {
    together: (writes) =>
      new Promise((answer, fail) => {
        begun.push({ writes, answer, fail });
      }),
    apart: {
      carryOut: async (write) => {
        alone.push(write);
        return `${write} alone`;
      },
      isOfOne: (error) => error instanceof TypeError,
    },
    weightOf: (write) => write.length,
  };
  const batches = new Batches(execution);
  const all = (index: number) => {
    const batch = begun[index] as (typeof begun)[number];
    batch.answer(batch.writes.map((write) => ({ result: `${write} together` })));
  };
  return { batches, begun, alone, all, writes: () => begun.map(({ writes }) => writes.join(' ')) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
/** Long enough for what a turn settles to begin what follows. */
const turns = async () => {
  for (let count = 0; count < 3; count += 1) await turn();
};

describe('calls at the same time', () => {
  it('are one batch, and one that comes alone does not wait', async () => {
    const { batches, all, writes } = recorded();
    const answers = Promise.all(['a', 'b', 'c'].map((write) => batches.run('k', write)));
    await turns();
    expect(writes()).toEqual(['a b c']);
    all(0);
    expect(await answers).toEqual(['a together', 'b together', 'c together']);
    const single = batches.run('k', 'd');
    await turns();
    expect(writes()).toEqual(['a b c', 'd']);
    all(1);
    expect(await single).toBe('d together');
  });

  it('wait for one of two batches that are under way, and are the next together', async () => {
    const { batches, all, writes } = recorded();
    const first = batches.run('k', 'a');
    await turns();
    const second = batches.run('k', 'b');
    await turns();
    const rest = ['c', 'd', 'e'].map((write) => batches.run('k', write));
    await turns();
    expect(writes()).toEqual(['a', 'b']);
    all(1);
    await second;
    await turns();
    expect(writes()).toEqual(['a', 'b', 'c d e']);
    all(0);
    all(2);
    expect(await Promise.all([first, ...rest])).toEqual(['a together', 'c together', 'd together', 'e together']);
  });

  it('are 64 at most', async () => {
    const { batches, all, begun } = recorded();
    const answers = Promise.all(Array.from({ length: 150 }, (_, index) => batches.run('k', `${index}`)));
    await turns();
    expect(begun.map(({ writes }) => writes.length)).toEqual([64, 64]);
    all(0);
    await turns();
    all(1);
    all(2);
    expect((await answers).at(-1)).toBe('149 together');
  });

  it('are heavy only alone', async () => {
    const { batches, all, begun } = recorded();
    const heavy = 'x'.repeat(MOST_WEIGHT / 2);
    const answers = Promise.all(['a', heavy, heavy, `${heavy}${heavy}x`, 'b'].map((write) => batches.run('k', write)));
    await turns();
    all(0);
    await turns();
    all(1);
    all(2);
    await turns();
    all(3);
    await answers;
    expect(begun.map(({ writes }) => writes.length)).toEqual([2, 1, 1, 1]);
  });

  it('do not wait for batches that get no answer', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    try {
      const { batches, all, begun } = recorded();
      void batches.run('k', 'a');
      await turns();
      void batches.run('k', 'b');
      await turns();
      const third = batches.run('k', 'c');
      await turns();
      expect(begun).toHaveLength(2);
      jest.advanceTimersByTime(1_000);
      await turns();
      expect(begun).toHaveLength(3);
      all(2);
      expect(await third).toBe('c together');
    } finally {
      jest.useRealTimers();
    }
  });

  it('fail with their batch when they cannot be carried out apart', async () => {
    const batches = new Batches<string, string>({
      together: async ([call]) => {
        if (call === 'x') throw new TypeError('one of them');
        return [null];
      },
    });
    const both = Promise.allSettled(['x', 'y'].map((call) => batches.run('k', call)));
    expect(await both).toEqual([
      expect.objectContaining({ status: 'rejected', reason: new TypeError('one of them') }),
      expect.objectContaining({ status: 'rejected', reason: new TypeError('one of them') }),
    ]);
    await expect(batches.run('k', 'z')).rejects.toThrow('no outcome');
  });

  it('of other keys wait for nothing', async () => {
    const { batches, all, writes } = recorded();
    const answers = [batches.run('k', 'a'), batches.run('l', 'b'), batches.run('k', 'c')];
    await turns();
    expect(writes()).toEqual(['a c', 'b']);
    all(0);
    all(1);
    await Promise.all(answers);
  });

  it('have an outcome each', async () => {
    const { batches, begun, alone } = recorded();
    const answers = Promise.allSettled(['a', 'b', 'c'].map((write) => batches.run('k', write)));
    await turns();
    const refusal = new Error('refused');
    begun[0]?.answer([{ result: 'a together' }, { error: refusal }, null]);
    expect(await answers).toEqual([
      { status: 'fulfilled', value: 'a together' },
      { status: 'rejected', reason: refusal },
      { status: 'fulfilled', value: 'c alone' },
    ]);
    expect(alone).toEqual(['c']);
  });

  it('are carried out alone when the batch fails for the sake of one', async () => {
    const { batches, begun } = recorded();
    const answers = Promise.all(['a', 'b'].map((write) => batches.run('k', write)));
    await turns();
    begun[0]?.fail(new TypeError('one of them'));
    expect(await answers).toEqual(['a alone', 'b alone']);
  });

  it('fail with their batch for what concerns all, or when there is no other in it', async () => {
    const { batches, begun, alone } = recorded();
    const both = Promise.allSettled(['a', 'b'].map((write) => batches.run('k', write)));
    await turns();
    const gone = new Error('the server is gone');
    begun[0]?.fail(gone);
    expect((await both).map((outcome) => 'reason' in outcome && outcome.reason)).toEqual([gone, gone]);
    const single = batches.run('k', 'c');
    await turns();
    begun[1]?.fail(new TypeError('its own'));
    await expect(single).rejects.toThrow('its own');
    expect(alone).toEqual([]);
    // The next one is carried out all the same.
    const next = batches.run('k', 'd');
    await turns();
    begun[2]?.answer([{ result: 'd together' }]);
    expect(await next).toBe('d together');
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
    expect(copiesByStatement(rows, bytes)).toEqual(parts);
  });

  it('need no statement when there are no rows', () => {
    expect(copiesByStatement([], 1)).toEqual([]);
  });
});
