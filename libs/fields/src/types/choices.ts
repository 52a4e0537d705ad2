import { isUuid } from '@crm/contracts';
import type { FieldProblem } from '../problem.js';
import { accept, type FieldOption, type FieldOptions, type FieldType, PLAIN, refuse } from './field-type.js';

const indexes = new WeakMap<FieldOptions, ReadonlyMap<string, number>>();

/** Options as value and label; an option that is a plain text is used as both. */
export function normaliseOptions(options: FieldOptions | undefined): FieldOption[] {
  return (options ?? []).map((option) =>
    typeof option === 'string' ? { value: option, label: option } : { value: option.value, label: option.label },
  );
}

/** The position of each option's value, computed once per list of options. */
function optionIndex({ options }: { readonly options?: FieldOptions }): ReadonlyMap<string, number> {
  if (!options) return new Map();
  let index = indexes.get(options);
  if (!index) {
    index = new Map(normaliseOptions(options).map((option, index) => [option.value, index]));
    indexes.set(options, index);
  }
  return index;
}

/** Options that a problem names, and entries of a list that are named as problems. */
const NAMED = 50;
/** Options that its text names. */
const SPELLED_OUT = 10;
const named = new WeakMap<FieldOptions, readonly string[]>();

/** The first values that a new record can have. */
function activeOptions({ options = [] }: { readonly options?: FieldOptions }): readonly string[] {
  let values = named.get(options);
  if (!values) {
    const active = options.filter((option) => typeof option === 'string' || option.active !== false);
    values = active.slice(0, NAMED).map((option) => (typeof option === 'string' ? option : option.value));
    named.set(options, values);
  }
  return values;
}

/** The problem of a value that is not among the options that a new record can have. */
export function notAnOption(field: { readonly options?: FieldOptions }): Omit<FieldProblem, 'pointer'> {
  const options = activeOptions(field);
  const detail = `Must be one of: ${options.slice(0, SPELLED_OUT).join(', ')}${options.length > SPELLED_OUT ? ', …' : ''}`;
  return { code: 'NOT_AN_OPTION', detail, params: { options } };
}

export const picklist: FieldType = {
  ...PLAIN,
  summary: 'an option',
  examples: ['won', 'lost'],
  schema: { type: 'string' },
  hasOptions: true,
  slotKind: 'text',
  formulaType: 'text',
  parse(input, field) {
    if (typeof input !== 'string') return refuse('WRONG_TYPE', 'Must be an option in a string', { expected: 'string' });
    const options = optionIndex(field);
    if (options.has(input)) return accept(input);
    return { ok: false, problems: [{ pointer: '', ...notAnOption(field) }] };
  },
  toSearchText: (value) => value as string,
};

/** Longest accepted list; our choice. It may be longer than the options because duplicates are allowed. */
const LONGEST_LIST = 1000;

export const multiSelect: FieldType = {
  summary: 'a list of options, kept in their order',
  examples: [['red'], ['red', 'green']],
  schema: { type: 'array' },
  hasOptions: true,
  slotKind: null,
  formulaType: 'multi_select',
  allowedRules: [],
  mayBeUnique: false,
  /** Converts to a set in the order of the options; an empty set means no value. */
  parse(input, field, context) {
    if (!Array.isArray(input)) return refuse('WRONG_TYPE', 'Must be a list of options', { expected: 'array' });
    if (input.length > LONGEST_LIST) {
      return refuse('TOO_MANY_VALUES', `Must have ${LONGEST_LIST} entries or fewer`, { limit: LONGEST_LIST });
    }
    const options = optionIndex(field);
    const chosen = new Set<string>();
    const problems: FieldProblem[] = [];
    for (const [index, entry] of input.entries()) {
      const parsed = picklist.parse(entry, field, context);
      if (parsed.ok) chosen.add(entry as string);
      else if (problems.length < NAMED)
        problems.push(...parsed.problems.map((problem) => ({ ...problem, pointer: `/${index}` })));
    }
    if (problems.length > 0) return { ok: false, problems };
    if (chosen.size === 0) return accept(null);
    return accept([...chosen].sort((a, b) => options.get(a)! - options.get(b)!));
  },
  toSlot: (value) => (value as string[]).join(', '),
  toUniqueKey: (value) => JSON.stringify(value),
  toSearchText: (value) => (value as string[]).join(' '),
};

export const reference: FieldType = {
  ...PLAIN,
  summary: 'the id of a record',
  examples: ['019ca8d1-0c11-7e52-a3b9-4f7d2c6e8b10', '019ca8d2-3b9c-7f48-96e1-0d5a7c2b8e64'],
  invalid: 'Not the id of a record',
  schema: { type: 'string', format: 'uuid' },
  slotKind: 'text',
  formulaType: 'text',
  /** Converts the id to lower case. The service checks whether the record exists. */
  parse(input) {
    if (typeof input !== 'string')
      return refuse('WRONG_TYPE', 'Must be the ID of a record or user', { expected: 'string' });
    return isUuid(input)
      ? accept(input.toLowerCase())
      : refuse('INVALID_REFERENCE', 'Must be the ID of a record or user (UUID)');
  },
};
