import type { ValueType } from '../ast.js';
import { comparisonOf } from '../comparison.js';
import { type Evaluator, finite, type Operand, type Row, roundDecimal, type Value } from '../values.js';
import { type FunctionDefinition, ORDERED, strict } from './definition.js';

export const ABS: FunctionDefinition = {
  name: 'ABS',
  parameters: [{ name: 'number', accepts: ['number'] }],
  result: 'number',
  nullable: ([number]) => number!,
  compile: ([number]) => strict<number, number>(number!, Math.abs),
  emit: ([number]) => `abs(${number!.sql})`,
  doc: { summary: 'The number without its sign. Null for null.', examples: ['ABS(-3)', 'ABS(target - amount)'] },
};

/**
 * The smallest (`sign` 1) or greatest (`sign` -1) non-null argument; null when there is none. Numbers compare as
 * float64. When no argument has a declared type, the type of the first value decides and values of other types are skipped.
 */
function extreme(args: readonly Operand[], type: ValueType, sign: 1 | -1): Evaluator {
  const evaluators = args.map((argument) => argument.evaluate);
  if (type === 'number') return extremeNumber(args, sign);
  const compare = comparisonOf(type);
  const order = (a: Value, b: Value) => {
    if (typeof a === 'number' && typeof b === 'number') return a - b;
    return compare(a, b) ?? 0;
  };
  return (row) => {
    let best: Value = null;
    for (const evaluate of evaluators) {
      const value = evaluate(row);
      // Booleans have no order; only an undeclared name can hold one here.
      if (value === null || typeof value === 'boolean') continue;
      if (best === null || sign * order(value, best) < 0) best = value;
    }
    return best;
  };
}

function extremeNumber(args: readonly Operand[], sign: 1 | -1): Evaluator {
  const evaluators = args.map((argument) => argument.evaluate as (row: Row) => number | null);
  const count = evaluators.length;
  return (row) => {
    let best: number | null = null;
    for (let index = 0; index < count; index++) {
      const value = evaluators[index]!(row);
      if (value !== null && (best === null || (sign === 1 ? value < best : value > best))) best = value;
    }
    return best;
  };
}

/** @param sqlName Postgres's own function, which skips nulls too and compares float8 as it is */
function extremeFunction(
  name: string,
  sign: 1 | -1,
  sqlName: 'least' | 'greatest',
  doc: FunctionDefinition['doc'],
): FunctionDefinition {
  return {
    name,
    parameters: [{ name: 'value', accepts: ORDERED, shared: true, repeats: true }],
    result: 'shared',
    nullable: (args) => args.every(Boolean),
    compile: (args, type) => extreme(args, type, sign),
    emit: (args) =>
      `${sqlName}(${args.map(({ sql, type }) => (type === 'text' ? `${sql} COLLATE "C"` : sql)).join(', ')})`,
    doc,
  };
}

export const MAX = extremeFunction('MAX', -1, 'greatest', {
  summary: 'The greatest of numbers, texts, dates or datetimes. Nulls are skipped; null when all are null.',
  examples: ['MAX(amount, 0)', 'MAX(startDate, endDate)'],
});

export const MIN = extremeFunction('MIN', 1, 'least', {
  summary: 'The smallest of numbers, texts, dates or datetimes. Nulls are skipped; null when all are null.',
  examples: ['MIN(amount, budget)', 'MIN(startDate, endDate)'],
});

/** A number of the language, with its four white-space characters allowed around it. */
const NUMERAL = /^[ \t\r\n]*(-?[0-9]+(?:\.[0-9]+)?)[ \t\r\n]*$/;

function toNumber(value: Value): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  const numeral = typeof value === 'string' ? NUMERAL.exec(value) : null;
  return numeral ? finite(Number(numeral[1])) : null;
}

export const NUMBER: FunctionDefinition = {
  name: 'NUMBER',
  parameters: [{ name: 'value', accepts: ['text', 'number', 'boolean'] }],
  result: 'number',
  nullable: () => true,
  compile([value]) {
    const { evaluate } = value!;
    return (row) => toNumber(evaluate(row));
  },
  emit([value], _type, target) {
    if (value!.type === 'number') return value!.sql;
    return value!.type === 'boolean' ? `${value!.sql}::integer::float8` : target.call('number', value!.sql);
  },
  doc: {
    summary:
      'The number that a text contains (digits, optionally with a minus sign before and a point with digits after), ' +
      '1 or 0 for a boolean, otherwise null.',
    examples: ['NUMBER("12.50")', 'NUMBER(active)'],
  },
};

export const ROUND: FunctionDefinition = {
  name: 'ROUND',
  parameters: [
    { name: 'number', accepts: ['number'] },
    { name: 'places', accepts: ['number'], optional: true },
  ],
  result: 'number',
  // Rounding up the largest float64 can leave the range.
  nullable: () => true,
  compile([number, places]) {
    const value = number!.evaluate;
    const digits = places?.evaluate ?? (() => 0);
    return (row) => {
      const x = value(row);
      if (x === null) return null;
      const n = digits(row);
      return n === null ? null : roundDecimal(x as number, n as number);
    };
  },
  emit: ([number, places], _type, target) => target.call('round', number!.sql, places?.sql ?? '0'),
  doc: {
    summary:
      'The 15-digit decimal of a number, rounded to the given places after the point (default 0; negative places are ' +
      'before the point), halves away from zero.',
    examples: ['ROUND(1.005, 2)', 'ROUND(amount / 3)', 'ROUND(amount, -3)'],
  },
};
