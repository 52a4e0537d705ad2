import { accept, type FieldType, refusedText } from './field-type.js';
import { text } from './text.js';

/** Longest multi-line text, in code points; our choice: about forty pages. */
export const TEXTAREA_LIMIT = 100_000;

export const textarea: FieldType = {
  ...text,
  name: 'textarea',
  bound: TEXTAREA_LIMIT,
  mayBeUnique: false,
  parse: (input) => refusedText(input, { limit: TEXTAREA_LIMIT, singleLine: false }) ?? accept(input),
};
