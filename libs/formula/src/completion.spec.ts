import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ValueType } from './ast.js';
import { checkFormula } from './checker.js';
import { completeFormula } from './completion.js';
import { functions } from './functions/index.js';

const FIELDS: Readonly<Record<string, ValueType>> = {
  amount: 'number',
  totalAmount: 'number',
  name: 'text',
  closeDate: 'date',
  tags: 'multi_select',
};
const ALL = Object.keys(FIELDS).length + functions.size + 4;

/** Completion at the `|` of a source. */
function at(marked: string) {
  const position = [...marked.slice(0, marked.indexOf('|'))].length;
  return completeFormula(marked.replace('|', ''), position, FIELDS);
}
const labels = (marked: string) => at(marked).items.map(({ label }) => label);

describe('completion', () => {
  it.each<[string, string[]]>([
    ['amo|', ['amount', 'totalAmount']],
    ['AM|', ['amount', 'totalAmount', 'name']],
    ['1 + na|', ['name']],
    ['na|me == "a"', ['name']],
    ['rou|', ['ROUND(number, places?)']],
    ['x(na|', ['name']],
    ['IF(tr|', ['TRUE']],
    ['zzz|', []],
    ['amount |', ['AND', 'OR']],
    ['amount a|', ['AND']],
    ['(amount) o|', ['OR']],
    ['1 |', ['AND', 'OR']],
    ['"a" |', ['AND', 'OR']],
    ['TRUE |', ['AND', 'OR']],
    ['12|', []],
    ['"na|', []],
    ['"na|me"', []],
    [`${'#'.repeat(30)}"na|`, []],
    ["'it\\'s na|", []],
    ['NOT na|', ['name']],
    ['name == "😀" && clo|', ['closeDate']],
  ])('%s: %j', (marked, expected) => expect(labels(marked)).toEqual(expected));

  it.each(['|', ' |', '(|', 'amount + |', 'NOT |', 'amount and |', '-|', 'x(1, |'])(
    '%s offers everything',
    (marked) => {
      expect(labels(marked)).toHaveLength(ALL);
    },
  );

  it('replaces the whole name', () => {
    expect(at('1 + na|me == "a"')).toMatchObject({ from: 4, to: 8 });
    expect(at('"😀" + na|')).toMatchObject({ from: 6, to: 8 });
    expect(at('1 + |')).toMatchObject({ from: 4, to: 4 });
    expect(at('1 + |name')).toMatchObject({ from: 4, to: 8 });
    expect(at('1 + |25')).toMatchObject({ from: 4, to: 4 });
    expect(at('amount o|r name')).toMatchObject({ from: 7, to: 9, items: [{ insert: 'OR' }] });
    expect(at('q1 + q|25')).toMatchObject({ from: 5, to: 8 });
  });

  it('keeps the next operand when an operator is chosen before it', () => {
    const { from, to, items } = at('amount > 1 |closeDate');
    expect([from, to, items.map(({ insert }) => insert)]).toEqual([11, 11, ['AND ', 'OR ']]);
    expect(at('(amount > 1) |(closeDate)').items[0]!.insert).toBe('AND');
    expect(at('amount > 1 an|d closeDate').items[0]!.insert).toBe('AND');
  });

  it('adds no parenthesis when one follows the cursor', () => {
    expect(at('tod|()').items[0]!.insert).toBe('TODAY');
    expect(at('ABS|(amount)').items[0]!.insert).toBe('ABS');
    expect(at('abs| \t(amount)').items[0]!.insert).toBe('ABS');
    expect(at('abs| + (amount)').items[0]!.insert).toBe('ABS(');
  });

  it('returns the types and the text to insert', () => {
    expect(at('clos|').items).toEqual([{ kind: 'field', label: 'closeDate', insert: 'closeDate', type: 'date' }]);
    expect(at('tod|').items).toMatchObject([{ kind: 'function', insert: 'TODAY()', type: 'date' }]);
    const [abs] = at('abs|').items;
    expect(abs).toEqual({
      kind: 'function',
      label: 'ABS(number)',
      insert: 'ABS(',
      type: 'number',
      summary: functions.get('ABS')!.doc.summary,
    });
    expect(at('blankv|').items[0]!.type).toBeUndefined();
  });

  it('lists names that match the type of the parameter first', () => {
    const first = (marked: string) => labels(marked)[0];
    expect(first('UPPER(|')).toBe('name');
    expect(first('DAYS_BETWEEN(closeDate, |')).toBe('closeDate');
    expect(first('CONTAINS(|')).toBe('name');
    expect(labels('UPPER(|').indexOf('BLANKVALUE(value, substitute)')).toBeLessThan(
      labels('UPPER(|').indexOf('amount'),
    );
    expect(labels('UPPER(|').indexOf('amount')).toBeGreaterThan(labels('UPPER(|').indexOf('UPPER(text)'));
    expect(labels('UPPER(|')).toHaveLength(ALL);
  });

  it.each<[string, string | undefined, number | undefined]>([
    ['|', undefined, undefined],
    ['ROUND|(1)', undefined, undefined],
    ['ROUND(|', 'ROUND', 0],
    ['round(amount, |', 'ROUND', 1],
    ['ROUND(amount, 2, |', 'ROUND', 1],
    ['CONCAT(1, 2, 3, |', 'CONCAT', 0],
    ['IF(amount > (1 + |', 'IF', 0],
    ['IF(LEN(name) > 1, |', 'IF', 1],
    ['IF(LEN(na|', 'LEN', 0],
    ['IF(unknown(1, |', 'IF', 0],
    ['TODAY(|', 'TODAY', 0],
    ['ABS(1) + |', undefined, undefined],
    ['IF("(", "|', 'IF', 1],
    [')) ABS(|', 'ABS', 0],
  ])('%s is in a call of %s', (marked, name, activeParameter) => {
    const { call } = at(marked);
    expect(call?.name).toBe(name);
    expect(call?.activeParameter).toBe(activeParameter);
  });

  it('shows the signature with its parameters', () => {
    expect(at('ROUND(|').call).toEqual({
      name: 'ROUND',
      signature: 'ROUND(number, places?)',
      summary: functions.get('ROUND')!.doc.summary,
      parameters: ['number', 'places?'],
      activeParameter: 0,
    });
  });

  it('uses the nearest position for one that is not a number or outside the source', () => {
    expect(completeFormula('1', Number.NaN, FIELDS)).toMatchObject({ from: 0, to: 0 });
    expect(completeFormula('1', -3, FIELDS).items).toHaveLength(ALL);
    expect(completeFormula('name', 9, FIELDS)).toMatchObject({ from: 0, to: 4 });
    expect(completeFormula('na', 1.7, FIELDS).items[0]).toMatchObject({ label: 'name' });
  });

  it('accepts any text and position', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.double(), (source, position) => {
        const { from, to } = completeFormula(source, position, FIELDS);
        expect(from >= 0 && from <= to && to <= [...source].length).toBe(true);
      }),
      { numRuns: 300 },
    );
    expect(completeFormula('x'.repeat(20_000), 20_000, FIELDS).items).toEqual([]);
  });

  it('offers names that pass the check once inserted', () => {
    for (const { insert, kind } of at('|').items) {
      if (kind !== 'field' || insert === 'tags') continue;
      expect(checkFormula(insert, FIELDS).ok).toBe(true);
    }
  });
});
