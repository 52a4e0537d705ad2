import fc from 'fast-check';
import { parseFormula } from '../src/parser.js';

type Kind = 'number' | 'text' | 'boolean' | 'date' | 'datetime';

const literalNumber = fc.oneof(
  fc.nat(1000).map(String),
  fc.constantFrom(
    '0',
    '0.1',
    '0.2',
    '0.3',
    '1.005',
    '2.5',
    '1e300',
    '1e-300',
    '123456789012345.6',
    '5e-324',
    '1000000000000005',
  ),
  fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((value) => String(value).replace('e+', 'e')),
);
const literalText = fc
  .string({ unit: 'grapheme', maxLength: 6 })
  .filter((text) => !text.includes('\0'))
  .map((text) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`);

/** Refusals of a formula for its size; the generator now and then makes one that is as large. */
const SIZES: readonly string[] = ['TOO_DEEP', 'TOO_LONG', 'TOO_MANY_NODES'];

const anyFormula: fc.Arbitrary<string> = fc.letrec<Record<'any' | Kind, string>>((tie) => {
  const of = (kind: 'any' | Kind) => tie(kind);
  const call = (name: string, ...args: fc.Arbitrary<string>[]) =>
    fc.tuple(...args).map((values) => `${name}(${values.join(', ')})`);
  const infix = (operators: string[], left: fc.Arbitrary<string>, right: fc.Arbitrary<string>) =>
    fc.tuple(left, fc.constantFrom(...operators), right).map(([a, operator, b]) => `(${a}) ${operator} (${b})`);
  const level = (leaves: fc.Arbitrary<string>[], branches: fc.Arbitrary<string>[]) =>
    fc.oneof({ maxDepth: 4, depthSize: 'small', withCrossShrink: true }, fc.oneof(...leaves), ...branches);
  const shared = (kind: Kind) => [
    call('IF', of('boolean'), of(kind), of(kind)),
    call('BLANKVALUE', of(kind), of(kind)),
    call('IF', of('boolean'), of(kind)),
  ];
  return {
    number: level(
      [fc.constantFrom('n', 'n2', 'NULL'), literalNumber],
      [
        infix(['+', '-', '*', '/', '%'], of('number'), of('number')),
        of('number').map((operand) => `-(${operand})`),
        call('ROUND', of('number'), of('number')),
        call('ABS', of('number')),
        call('MIN', of('number'), of('number')),
        call('MAX', of('number'), of('number')),
        call('LEN', of('text')),
        call('NUMBER', of('text')),
        call('DAYS_BETWEEN', of('date'), fc.oneof(of('date'), of('datetime'))),
        call('DAYS_BETWEEN', of('datetime'), of('date')),
        call('NUMBER', fc.oneof(of('boolean'), of('number'))),
        fc.constant('LEN(m)'),
        ...shared('number'),
      ],
    ),
    text: level(
      [fc.constantFrom('t', 't2', 'NULL'), literalText],
      [
        infix(['+'], of('text'), of('any')),
        call('CONCAT', of('any'), of('text')),
        call('UPPER', of('text')),
        call('LOWER', of('text')),
        call('TEXT', of('any')),
        fc.constant('TEXT(m)'),
        call('MAX', of('text'), of('text')),
        infix(['+'], fc.constant('m'), of('text')),
        ...shared('text'),
      ],
    ),
    boolean: level(
      [fc.constantFrom('b', 'b2', 'TRUE', 'false', 'NULL')],
      [
        infix(['&&', '||', 'AND', 'OR', '==', '!='], of('boolean'), of('boolean')),
        infix(['<', '<=', '>', '>=', '==', '!='], of('number'), of('number')),
        infix(['<', '>=', '=='], of('text'), of('text')),
        infix(['<', '<=', '>', '>=', '==', '!='], of('date'), fc.oneof(of('date'), of('datetime'))),
        infix(['<', '<=', '>', '>=', '==', '!='], of('datetime'), fc.oneof(of('date'), of('datetime'))),
        of('boolean').map((operand) => `NOT (${operand})`),
        of('boolean').map((operand) => `!(${operand})`),
        call('CONTAINS', of('text'), of('text')),
        ...shared('boolean'),
        call('CONTAINS', fc.constant('m'), of('text')),
      ],
    ),
    date: level([fc.constantFrom('d', 'd2', 'TODAY()')], [...shared('date'), call('MIN', of('date'), of('date'))]),
    datetime: level(
      [fc.constantFrom('dt', 'dt2')],
      [...shared('datetime'), call('MAX', of('datetime'), fc.constant('NULL'), of('datetime'))],
    ),
    any: fc.oneof(of('number'), of('text'), of('boolean'), of('date'), of('datetime')),
  };
}).any;

/** Sources of well-formed formulas over the fields of evaluate.ts; about half of them also type-check. */
export const arbitraryFormula = anyFormula.filter(
  (source) => !parseFormula(source).errors.some(({ code }) => SIZES.includes(code)),
);

const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 4 });
const number = fc.oneof(
  fc.integer({ min: -20, max: 20 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0.3, 0.1 + 0.2, 1.005, -0, 1e15, 1.7976931348623157e308),
);
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('', ' ', '12', ' -1.5 ', 'ß', 'ΟΔΟΣ', 'x'.repeat(4000)),
);
const date = fc.constantFrom('2024-02-29', '2011-12-30', '2018-11-04', '0001-01-01', '9999-12-31');
const datetime = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
  .map((value) => value.toISOString());

/** Records for the fields of evaluate.ts, with nulls, missing fields and an occasional value of the wrong type. */
export const arbitraryRecord: fc.Arbitrary<Record<string, unknown>> = fc.record(
  {
    n: orNull(number),
    n2: orNull(number),
    t: orNull(text),
    t2: orNull(fc.oneof(text, fc.integer())),
    b: orNull(fc.boolean()),
    b2: orNull(fc.oneof(fc.boolean(), fc.constant('true'))),
    d: orNull(date),
    d2: orNull(fc.oneof(date, fc.constant('2023-02-29'))),
    dt: orNull(datetime),
    dt2: orNull(fc.oneof(datetime, fc.constant('soon'))),
    m: orNull(fc.array(fc.constantFrom('a', 'b', 'Golf'), { maxLength: 3 })),
  },
  { requiredKeys: [] },
);
