import { LIMITS } from '../errors.js';
import { asText, joined } from '../sql-target.js';
import { bounded, codePointLength } from '../text.js';
import { type Operand, type Row, toText } from '../values.js';
import { ANYTHING, type FunctionDefinition, strict } from './definition.js';

/** The texts of all operands joined, null as an empty text; null when the result is too long. */
export function concatenate(operands: readonly Operand[]): (row: Row) => string | null {
  const parts = operands.map(({ evaluate, type }) => ({ evaluate, text: toText(type) }));
  return (row) => {
    let result = '';
    for (const { evaluate, text } of parts) {
      result += text(evaluate(row)) ?? '';
      // A code point has at most two units: beyond twice the limit the text is too long whatever follows.
      if (result.length > LIMITS.textCharacters * 2) return null;
    }
    return bounded(result);
  };
}

export const CONCAT: FunctionDefinition = {
  name: 'CONCAT',
  parameters: [{ name: 'value', accepts: ANYTHING, repeats: true }],
  result: 'text',
  nullable: () => true,
  compile: concatenate,
  emit: (args, _type, target) => target.call('bounded', joined(args, target)),
  doc: {
    summary: 'Joins the texts of all arguments. Null counts as an empty text; other values are converted as by TEXT.',
    examples: ['CONCAT(firstName, " ", lastName)', 'CONCAT("No. ", number)'],
  },
};

export const CONTAINS: FunctionDefinition = {
  name: 'CONTAINS',
  parameters: [
    { name: 'text', accepts: ['text', 'multi_select'] },
    { name: 'part', accepts: ['text'] },
  ],
  result: 'boolean',
  nullable: () => false,
  compile([text, part]) {
    const whole = text!.evaluate;
    const sought = part!.evaluate;
    if (text!.type === 'multi_select') {
      return (row) => {
        const option = sought(row);
        if (option === null || option === '') return true;
        const selected = whole(row) as readonly string[] | null;
        return selected?.includes(option as string) ?? false;
      };
    }
    return (row) => {
      const value = whole(row);
      // A number or a boolean of an undeclared name has the wrong type and counts as null.
      return (typeof value === 'string' ? value : '').includes((sought(row) as string | null) ?? '');
    };
  },
  emit: ([text, part], _type, target) => target.call('contains', text!.sql, part!.sql),
  doc: {
    summary:
      'Whether a text contains another (case-sensitive, null counts as an empty text), or whether a multi-select has ' +
      'an option selected (the whole option).',
    examples: ['CONTAINS(email, "@example.com")', 'CONTAINS(interests, "Golf")'],
  },
};

export const LEN: FunctionDefinition = {
  name: 'LEN',
  parameters: [{ name: 'text', accepts: ['text', 'multi_select'] }],
  result: 'number',
  nullable: () => false,
  compile([text]) {
    const { evaluate, type } = text!;
    const textOf = toText(type);
    return (row) => {
      const value = evaluate(row);
      // Only an undeclared name can hold a number or a boolean here; both have the wrong type.
      if (value === null || typeof value === 'number' || typeof value === 'boolean') return 0;
      return codePointLength(textOf(value)!);
    };
  },
  emit: ([text], _type, target) => `coalesce(length(${asText(text!, target)}), 0)::float8`,
  doc: {
    summary:
      'The number of characters (code points) of a text, or of the listed options of a multi-select. 0 for null.',
    examples: ['LEN(name)', 'LEN("naïve")'],
  },
};

function caseFunction(
  name: 'LOWER' | 'UPPER',
  map: (text: string) => string,
  doc: FunctionDefinition['doc'],
): FunctionDefinition {
  return {
    name,
    parameters: [{ name: 'text', accepts: ['text'] }],
    result: 'text',
    // The result can be longer than the limit (ß becomes SS, İ becomes i and a combining dot).
    nullable: () => true,
    compile: ([text]) => strict<string, string | null>(text!, (value) => bounded(map(value))),
    emit: ([text], _type, target) => target.call('bounded', target.call(name.toLowerCase(), text!.sql)),
    doc,
  };
}

export const LOWER = caseFunction('LOWER', (text) => text.toLowerCase(), {
  summary: 'The text in lower case by the full Unicode mapping, independent of the language. Null for null.',
  examples: ['LOWER(email)', 'LOWER("ΟΔΟΣ")'],
});

export const UPPER = caseFunction('UPPER', (text) => text.toUpperCase(), {
  summary: 'The text in upper case by the full Unicode mapping, independent of the language. Null for null.',
  examples: ['UPPER(code)', 'UPPER("straße")'],
});

export const TEXT: FunctionDefinition = {
  name: 'TEXT',
  parameters: [{ name: 'value', accepts: ANYTHING }],
  result: 'text',
  nullable: () => true,
  compile([value]) {
    const { evaluate, type } = value!;
    const textOf = toText(type);
    return (row) => {
      const text = textOf(evaluate(row));
      return text === null ? null : bounded(text);
    };
  },
  emit: ([value], _type, target) => target.call('bounded', asText(value!, target)),
  doc: {
    summary:
      'The text of a value: a number with up to 15 digits, without exponent or grouping, a date as YYYY-MM-DD, a ' +
      'datetime in UTC, true or false, the options of a multi-select joined by ", ". Null for null.',
    examples: ['TEXT(amount)', 'TEXT(closeDate)'],
  },
};
