import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js';
import { accept, type FieldType, refuse, refusedText } from './field-type.js';
import { text } from './text.js';

/** Longest input for a number of at most 15 digits (E.164), with room for punctuation. */
const PHONE_INPUT_LIMIT = 50;

/** A plus and 15 digits (E.164). */
const E164_LENGTH = 16;

export const phone: FieldType = {
  ...text,
  name: 'phone',
  bound: E164_LENGTH,
  /** Converts to E.164. A number without a country code belongs to the default country. */
  parse(input, _field, { defaultCountry }) {
    const refused = refusedText(input, { limit: PHONE_INPUT_LIMIT, singleLine: true });
    if (refused) return refused;
    // With a default country, the library treats a full-width plus as punctuation.
    const written = (input as string).trim().replace(/^＋/, '+');
    const country = defaultCountry !== undefined && isSupportedCountry(defaultCountry) ? defaultCountry : undefined;
    if (country === undefined && !written.startsWith('+') && /\p{Nd}/u.test(written)) {
      return refuse('PHONE_COUNTRY_MISSING', 'Must begin with + and the country code, as in +49 30 123456');
    }
    const parsed = parsePhoneNumberFromString(written, { defaultCountry: country, extract: false });
    if (!parsed?.isValid()) return refuse('INVALID_PHONE', 'Must be a phone number, as in +49 30 123456');
    // E.164 has no place for an extension, and dropping it would change the number.
    if (parsed.ext) return refuse('INVALID_PHONE', 'Must be a phone number without an extension');
    return accept(parsed.number);
  },
  toUniqueKey: (value) => value as string,
};
