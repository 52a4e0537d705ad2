import { afterAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { checkFormula } from '../src/checker.js';
import { compileFormula } from '../src/compile.js';
import { LIMITS } from '../src/errors.js';
import { arbitraryFormula } from './arbitraries.js';
import { FIELDS, NOON } from './evaluate.js';

const DEEP = process.env.DEEP === '1';
const INPUTS = DEEP ? 1_000_000 : 4000;
/** An input that takes longer counts as hanging. Includes garbage collection. */
const LONGEST_MILLISECONDS = 2000;
jest.setTimeout(DEEP ? 7_200_000 : 60_000);

const slowest = { milliseconds: 0, source: '' };
afterAll(() => {
  const shown = JSON.stringify(slowest.source).slice(0, 200);
  process.stdout.write(`Slowest formula of the fuzz: ${slowest.milliseconds.toFixed(1)} ms for ${shown}\n`);
});

/** The linear congruential generator of Numerical Recipes: small and fast enough for a million inputs. */
class Random {
  constructor(private state: number) {}

  below(bound: number): number {
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.state / 2 ** 32) * bound);
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}

const PIECES = [
  ...'ab1.eE"\'\\u()+-*/%=!<>&|,#{}[]_ \n\t\0\u00a0\ufeff',
  ...[
    ...['IF(', 'NOT ', ' AND ', ' OR ', 'NULL', 'TRUE', 'TODAY()', 'ROUND(', 'CONCAT(', 'DAYS_BETWEEN(', '==', '<='],
    '&&',
  ],
  ...['😀', '\ud800', '\udc00', '\\u00', '\\ud83d', '0x', '1e999', '1e-999', '123456789012345678901234567890'],
  ...['n', 'n2', 't', 'b', 'd', 'dt', 'm', '__proto__', 'constructor', 'toString', 'hasOwnProperty('],
];

const RECORD = { n: -0, n2: 1e308, t: 'ß\ud800', b: true, d: '2024-02-29', dt: '2024-02-29T23:59:60Z', m: ['a', 1] };

/** Runs everything that reads a source: none may throw or hang, and a source without errors must evaluate. */
function judge(source: string): void {
  // CPU time, because a busy machine may pause the process at any point.
  const begun = process.cpuUsage();
  const checked = checkFormula(source, FIELDS);
  if (checked.ok) compileFormula(checked, FIELDS).evaluate(RECORD, { now: NOON, timeZone: 'Asia/Beirut' });
  const { user, system } = process.cpuUsage(begun);
  const milliseconds = (user + system) / 1000;
  if (milliseconds > slowest.milliseconds) Object.assign(slowest, { milliseconds, source });
  if (checked.ok !== (checked.errors.length === 0)) throw new Error(`Neither good nor bad: ${JSON.stringify(source)}`);
  const end = Math.max([...source].length, LIMITS.sourceCharacters);
  for (const { position, length } of checked.errors) {
    if (position < 0 || position + length > end) throw new Error(`An error outside of ${JSON.stringify(source)}`);
  }
}

/** The seed is printed when an input fails. */
const seed = Date.now() >>> 0;

describe('every source is answered without an exception:', () => {
  it('random pieces', () => {
    const random = new Random(seed);
    for (let run = 0; run < INPUTS; run++) {
      let source = '';
      // Most are short; one in a thousand has the maximum length.
      const length = run % 1000 === 0 ? 4100 : random.below(60);
      for (let index = 0; index < length; index++) source += random.of(PIECES);
      expectAnswer(source);
    }
    expect(slowest.milliseconds).toBeLessThan(LONGEST_MILLISECONDS);
  });

  it('mutations of valid sources', () => {
    const random = new Random(seed);
    const valid = fc.sample(arbitraryFormula, { numRuns: DEEP ? 20_000 : 300, seed });
    for (let run = 0; run < INPUTS; run++) {
      let source = random.of(valid);
      for (let change = random.below(4); change >= 0; change--) source = changed(source, random, valid);
      expectAnswer(source);
    }
    expect(slowest.milliseconds).toBeLessThan(LONGEST_MILLISECONDS);
  });

  function expectAnswer(source: string): void {
    try {
      judge(source);
    } catch (error) {
      throw new Error(`seed ${seed}: ${JSON.stringify(source)}`, { cause: error });
    }
  }
});

/** Removes, repeats, moves or replaces a part, or inserts a token or a part of another source. */
function changed(source: string, random: Random, others: readonly string[]): string {
  const from = random.below(source.length + 1);
  const to = Math.min(source.length, from + random.below(12));
  const [before, part, after] = [source.slice(0, from), source.slice(from, to), source.slice(to)];
  switch (random.below(6)) {
    case 0:
      return before + after;
    case 1:
      return before + part + part + after;
    case 2:
      return after + part + before;
    case 3:
      return before + random.of(PIECES) + after;
    case 4:
      return `${before}(${part})${after}`;
    default: {
      const other = random.of(others);
      return before + other.slice(0, random.below(other.length)) + after;
    }
  }
}
