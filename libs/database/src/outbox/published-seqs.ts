type Range = readonly [from: number, to: number];

const NO_END = '9223372036854775807';

/**
 * The sequence of a node of a cluster begins at its group id times this, as Citus sets it up; elsewhere all are in block 0.
 * JavaScript's integers are exact for the blocks up to 31.
 */
const BLOCK = 2 ** 48;
export const LAST_BLOCK = 31;

export const blockOf = (seq: number): number => Math.floor(seq / BLOCK);

/** Between what is published: events whose `seq` is above `after[i]` and below `before[i]` may wait. */
export interface Gaps {
  readonly after: readonly number[];
  readonly before: readonly (number | string)[];
}

/** What of the gaps lies within a block, and what outside of it. */
export function splitAtBlock(gaps: Gaps, block: number): { inside: Gaps; outside: Gaps } {
  const [from, end] = [block * BLOCK, (block + 1) * BLOCK];
  const [below, above] = [between(gaps, 0, from), between(gaps, end - 1, Number(NO_END))];
  const outside = { after: [...below.after, ...above.after], before: [...below.before, ...above.before] };
  return { inside: between(gaps, from - 1, end), outside };
}

function between({ after, before }: Gaps, low: number, high: number): Gaps {
  const parts = after
    .map((start, index) => [Math.max(start, low), Math.min(Number(before[index]), high)] as const)
    .filter(([start, end]) => end - start > 1);
  return { after: parts.map(([start]) => start), before: parts.map(([, end]) => (end > 2 ** 53 ? NO_END : end)) };
}

/** The published events by `seq`: in each block everything up to a number, and ranges above it. A gap was rolled back or is still open. */
export class PublishedSeqs {
  /** Ascending, neither overlapping nor adjacent; the first begins at 0, which no event has. */
  private constructor(private readonly ranges: readonly Range[]) {}

  static readonly NONE = new PublishedSeqs([[0, 0]]);

  /** @param multirange as Postgres prints an `int8multirange` of integers: `{[0,8),[9,12)}` */
  static parse(multirange: string): PublishedSeqs {
    const ranges = [...multirange.matchAll(/[[(](\d*),(\d+)\)/g)].map(
      ([, from, end]): Range => [Number(from), Number(end) - 1],
    );
    return new PublishedSeqs(joined([[0, 0], ...ranges]));
  }

  /** In ascending order; the last has no end. */
  get gaps(): Gaps {
    return {
      after: this.ranges.map(([, to]) => to),
      before: [...this.ranges.slice(1).map(([from]) => from), NO_END],
    };
  }

  /** Those below the last published of their block. */
  get innerGaps(): Gaps {
    const inner = this.ranges
      .map(([from], index) => [Math.max(this.ranges[index - 1]?.[1] ?? 0, blockOf(from) * BLOCK - 1), from] as const)
      .filter(([after, before]) => before - after > 1);
    return { after: inner.map(([after]) => after), before: inner.map(([, before]) => before) };
  }

  plus(seqs: readonly number[]): PublishedSeqs {
    return new PublishedSeqs(joined([...this.ranges, ...seqs.map((seq): Range => [seq, seq])]));
  }

  /** With the gaps but for the exceptions that are in them. */
  filled({ after, before }: Gaps, exceptions: readonly number[]): PublishedSeqs {
    const ends = exceptions.toSorted((left, right) => left - right);
    const filled = after.flatMap((start, index) => {
      const stop = Number(before[index]);
      const within = [start, ...ends.filter((seq) => seq > start && seq < stop), stop];
      return within.slice(1).map((end, index): Range => [Number(within[index]) + 1, end - 1]);
    });
    return new PublishedSeqs(joined([...this.ranges, ...filled.filter(([from, to]) => from <= to)]));
  }

  toString(): string {
    return `{${this.ranges.map(([from, to]) => `[${from},${to}]`).join(',')}}`;
  }
}

function joined(ranges: readonly Range[]): Range[] {
  const result: [number, number][] = [];
  for (const [from, to] of ranges.toSorted(([left], [right]) => left - right)) {
    const last = result.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}
