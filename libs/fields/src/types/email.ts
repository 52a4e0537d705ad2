import validator from 'validator';
import { accept, type FieldType, refuse, refusedText } from './field-type.js';
import { text } from './text.js';

/** Longest address in a mail envelope (RFC 5321, 4.5.3.1.3: a path of 256 including its brackets). */
export const EMAIL_LIMIT = 254;

export const email: FieldType = {
  ...text,
  name: 'email',
  bound: EMAIL_LIMIT,
  /** Keeps the address unchanged; checks only its form. */
  parse(input) {
    const refused = refusedText(input, { limit: EMAIL_LIMIT, singleLine: true });
    if (refused) return refused;
    return validator.isEmail(input as string)
      ? accept(input)
      : refuse('INVALID_EMAIL', 'Must be an e-mail address, as in name@example.com');
  },
};
