import { finite } from '../decimal.js';
import type { Value } from '../values.js';
import type { FunctionDefinition } from './definition.js';

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
