import { foldForUniqueness } from '../folding.js';
import { accept, type FieldType, refusedText, TEXT_RULES } from './field-type.js';

/** Longest single-line text, in code points; our choice: a page of prose, and the limit of text results of formulas. */
export const TEXT_LIMIT = 4000;

export const text: FieldType = {
  name: 'text',
  slotKind: 'text',
  formulaType: 'text',
  allowedRules: TEXT_RULES,
  bound: TEXT_LIMIT,
  mayBeUnique: true,
  parse: (input) => refusedText(input, { limit: TEXT_LIMIT, singleLine: true }) ?? accept(input),
  toSlot: (value) => value as string,
  toUniqueKey: (value) => foldForUniqueness(value as string),
  toSearchText: (value) => value as string,
};
