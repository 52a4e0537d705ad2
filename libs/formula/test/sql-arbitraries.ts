import fc from 'fast-check';
import type { TestRecord } from './evaluate.js';

/**
 * Zones for which Postgres and Node use the same data: midnights that do not exist (São Paulo, Beirut) or occur twice
 * (Havana, Azores), a day that was skipped (Apia), half hours, seconds of local mean time.
 */
export const ZONES = [
  ...['UTC', 'America/New_York', 'America/Sao_Paulo', 'America/Havana', 'Atlantic/Azores', 'Asia/Beirut'],
  ...['Asia/Kolkata', 'Pacific/Apia', 'Australia/Lord_Howe'],
];

const edges = [
  ...[0, -0, 1, -1, 0.1, 0.3, 0.1 + 0.2, 1.005, 2.5, -2.5, 1e15, 999999999999999.5, 1000000000000005, 1000000000000015],
  ...[2 ** 53, 1e21, 1e-7, 2 ** 511, 2 ** 512, 2 ** -537, 2 ** -538, 1e150, 1e-150, 2 ** 1023, Number.MAX_VALUE],
  -Number.MAX_VALUE,
  Number.MIN_VALUE,
  2 ** -1022,
  4,
  -400,
];
/** Any float64, edges, and numbers whose last digits are near a half. */
export const numbers = fc.oneof(
  fc.constantFrom(...edges),
  fc.integer({ min: -1000, max: 1000 }),
  fc.integer({ min: -100_000, max: 100_000 }).map((value) => value / 1000),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const MANTISSAS = [1, 1 + 2 ** -52, 2 - 2 ** -52, 1.5];
const mantissa = fc.oneof(fc.constantFrom(...MANTISSAS), fc.double({ min: 1, max: 2, noNaN: true }));
/** Pairs whose sum, product or quotient lies near an end of the range, where Postgres raises. */
export const edgePairs: fc.Arbitrary<readonly [number, number]> = fc
  .tuple(
    mantissa,
    mantissa,
    fc.integer({ min: -1074, max: 1023 }),
    fc.constantFrom(-1075, -1074, 1022, 1023, 1024),
    fc.integer({ min: -2, max: 2 }),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([a, b, exponent, sum, shift, negative, quotient]) => {
    const other = Math.min(1023, Math.max(-1074, (quotient ? exponent - sum : sum - exponent) + shift));
    return [a * 2 ** exponent * (negative ? -1 : 1), b * 2 ** other] as const;
  })
  .filter(([a, b]) => Number.isFinite(a) && Number.isFinite(b));

/** All pairs of simple numbers whose product or quotient lies at an end of the range, from tiny and tiny to huge and huge. */
export function pairsAtTheEnds(): [number, number][] {
  const exponents = [-1074, -1073, -1022, -1000, -700, -601, -600, -538, -537, -500, -376, -375, -100, -1, 0];
  const ends = [-1076, -1075, -1074, -1073, 1022, 1023, 1024, 1025];
  return [...exponents, ...exponents.map((exponent) => -exponent)].flatMap((exponent) =>
    ends.flatMap((end) =>
      [end - exponent, exponent - end].flatMap((other) =>
        MANTISSAS.flatMap((a) => MANTISSAS.map((b): [number, number] => [a * 2 ** exponent, b * 2 ** other])),
      ),
    ),
  );
}

const texts = fc.oneof(
  fc.constantFrom('', ' ', 'a', 'B', 'ab', 'straße', 'ΟΔΟΣ', 'ΑΣ Σ', 'İ', 'ŉ', '\u{10ffff}', '\uffff', '😀', 'ﬁ'),
  fc.constantFrom('12', ' -1.5\n', '1e5', '-0', `1${'0'.repeat(400)}`, `0.${'0'.repeat(400)}1`, '٣', '1.'),
  fc.constantFrom('x'.repeat(4000), '😀'.repeat(2001), 'ß'.repeat(2001)),
  fc.string({ unit: 'binary', maxLength: 6 }).filter((text) => !/[\0\p{Cs}]/u.test(text)),
);

const dates = fc.oneof(
  fc.constantFrom('0001-01-01', '9999-12-31', '2024-02-29', '2000-02-29', '1900-02-28', '2011-12-30', '2018-11-04'),
  fc.constantFrom('2024-03-31', '2023-11-05', '2024-10-27', '1970-01-01'),
  fc
    .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true })
    .map((value) => value.toISOString().slice(0, 10)),
);

const datetimes = fc.oneof(
  fc.constantFrom('0001-01-02T00:00:00Z', '9999-12-30T23:59:59.999Z', '2024-02-29T23:59:59.5Z', '2018-11-04T03:00:00Z'),
  fc.constantFrom('2018-11-04T02:59:59.999Z', '2024-03-31T00:00:00Z', '2023-11-05T04:00:00Z', '2011-12-30T10:00:00Z'),
  fc
    .date({ min: new Date('1971-01-01T00:00:00Z'), max: new Date('2037-01-01T00:00:00Z'), noInvalidDate: true })
    .map((value) => value.toISOString().replace(/\.?0*Z$/, 'Z')),
);

const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 5 });

/** Canonical records for the fields of evaluate.ts, as a table of Postgres can hold them. */
export const storedRecord: fc.Arbitrary<TestRecord> = fc.record({
  n: orNull(numbers),
  n2: orNull(numbers),
  t: orNull(texts),
  t2: orNull(texts),
  b: orNull(fc.boolean()),
  b2: orNull(fc.boolean()),
  d: orNull(dates),
  d2: orNull(dates),
  dt: orNull(datetimes),
  dt2: orNull(datetimes),
  m: orNull(fc.subarray(['a', 'b', 'Golf', ''])),
});
