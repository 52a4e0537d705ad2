type Range = readonly [from: number, to: number];

const NO_END = '9223372036854775807';

/** Between what is published: events whose `seq` is above `after[i]` and below `before[i]` may wait. */
export interface Gaps {
  readonly after: readonly number[];
  readonly before: readonly (number | string)[];
}

/** The published events by `seq`: everything up to a number, and ranges above it. A gap was rolled back or is still open. */
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

  get upTo(): number {
    return this.ranges[0]?.[1] ?? 0;
  }

  get last(): number {
    return this.ranges.at(-1)?.[1] ?? 0;
  }

  get hasGaps(): boolean {
    return this.ranges.length > 1;
  }

  /** In ascending order; the last has no end. */
  get gaps(): Gaps {
    return {
      after: this.ranges.map(([, to]) => to),
      before: [...this.ranges.slice(1).map(([from]) => from), NO_END],
    };
  }

  plus(seqs: readonly number[]): PublishedSeqs {
    return new PublishedSeqs(joined([...this.ranges, ...seqs.map((seq): Range => [seq, seq])]));
  }

  /** With everything up to `last` but for the exceptions, which are in ascending order. */
  filledUpTo(last: number, exceptions: readonly number[]): PublishedSeqs {
    const within = exceptions.filter((seq) => seq <= last);
    const filled = [...within, last + 1].map(
      (end, index): Range => [index === 0 ? 0 : Number(within[index - 1]) + 1, end - 1],
    );
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
