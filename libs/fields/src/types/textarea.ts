import { accept, type FieldType, refusedText } from './field-type.js';
import { text } from './text.js';

/** Longest text of several lines, in code points; our number: about forty pages. */
export const TEXTAREA_LIMIT = 100_000;

export const textarea: FieldType = {
  ...text,
  name: 'textarea',
  bound: TEXTAREA_LIMIT,
  mayBeUnique: false,
  parse: (input) => refusedText(input, { limit: TEXTAREA_LIMIT, singleLine: false }) ?? accept(input),
};
