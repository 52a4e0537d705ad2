import { parseUrl } from '@crm/address-policy';
import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js';
import validator from 'validator';
import { accept, type FieldType, PLAIN, refuse, refusedText, TEXT_RULES } from './field-type.js';

/**
 * How texts are normalised for comparison. Uniqueness ignores case and surrounding white space, but not accents:
 * "Müller" and "Muller" are two people. Search ignores accents too: a search for "muller" finds both.
 */

/** Accents and other marks of the Latin, Greek and Cyrillic scripts; in other scripts, marks are part of a letter. */
const COMBINING_DIACRITICS = /[\u0300-\u036f]/g;

/** What normalisation and the mappings of case leave as it is, but for A to Z. */
const ASCII = /^[\0-\x7f]*$/;

/**
 * Case folding by the full Unicode mappings: ß, ẞ and SS become equal, and so do ς and Σ. Lower case comes first because
 * the mappings do not treat the capital ẞ as the upper case of ß.
 */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/** The form in which texts are compared for uniqueness. */
export function foldForUniqueness(text: string): string {
  return foldCase(text.normalize('NFC')).normalize('NFC').trim();
}

/** Text folded for search: lower case, without accents, runs of white space as one space, trimmed. */
export function foldForSearch(text: string): string {
  // Most texts: a third of the time.
  if (ASCII.test(text)) return oneSpaced(text.toLowerCase());
  const bare = text.normalize('NFKD').replace(COMBINING_DIACRITICS, '');
  return oneSpaced(foldCase(bare).normalize('NFKD').replace(COMBINING_DIACRITICS, '').normalize('NFKC'));
}

/** Leaves single spaces alone: a replacement of each would take as long as all the rest. */
const oneSpaced = (text: string): string => text.replace(/[^\S ]\s*| \s+/g, ' ').trim();

/** Folding takes a character out of its context at the end of a part; so many more are folded than are used. */
const MARGIN = 100;

/**
 * The beginning of a text folded for search, for long texts: no more of the text is folded than is needed.
 * @param length longest result, in code units
 */
export function foldForSearchUpTo(text: string, length: number): string {
  for (let end = length + MARGIN; end < text.length; end *= 2) {
    const folded = foldForSearch(text.slice(0, end));
    // Shorter when much of the text is marks or white space, which folding removes.
    if (folded.length >= length + MARGIN) return folded.slice(0, length);
  }
  return foldForSearch(text).slice(0, length);
}

/** Longest single-line text, in code points; our choice: a page of prose, and the limit of text results of formulas. */
const TEXT_LIMIT = 4000;

const TEXT = {
  ...PLAIN,
  schema: { type: 'string' },
  slotKind: 'text',
  formulaType: 'text',
  allowedRules: TEXT_RULES,
  toUniqueKey: (value: unknown) => foldForUniqueness(value as string),
  toSearchText: (value: unknown) => value as string,
} satisfies Partial<FieldType>;

export const text: FieldType = {
  ...TEXT,
  summary: 'one line of up to 4,000 characters',
  examples: ['Ada Lovelace', 'Straße 1'],
  storage: 'text',
  bound: TEXT_LIMIT,
  parse: (input) => refusedText(input, { limit: TEXT_LIMIT, singleLine: true }) ?? accept(input),
};

/** Longest multi-line text, in code points; our choice: about forty pages. */
export const TEXTAREA_LIMIT = 100_000;

export const textarea: FieldType = {
  ...TEXT,
  summary: 'any number of lines, up to 100,000 characters',
  examples: ['Called twice.\nWants an offer.', 'One line'],
  storage: 'text',
  isLong: true,
  bound: TEXTAREA_LIMIT,
  mayBeUnique: false,
  parse: (input) => refusedText(input, { limit: TEXTAREA_LIMIT, singleLine: false }) ?? accept(input),
};

/** Longest address in a mail envelope (RFC 5321, 4.5.3.1.3: a path of 256 including its brackets). */
const EMAIL_LIMIT = 254;

export const email: FieldType = {
  ...TEXT,
  summary: 'an email address',
  examples: ['ada@example.com', 'grace@example.com'],
  invalid: 'Not an email address',
  bound: EMAIL_LIMIT,
  /** Keeps the address unchanged; checks only its form. */
  parse(input) {
    const refused = refusedText(input, { limit: EMAIL_LIMIT, singleLine: true });
    if (refused) return refused;
    return validator.isEmail(input as string)
      ? accept(input)
      : refuse('INVALID_EMAIL', 'Must be an email address such as name@example.com');
  },
};

/** Longest input for a number of at most 15 digits (E.164), with punctuation. */
const PHONE_INPUT_LIMIT = 50;

/** A plus and 15 digits (E.164). */
const E164_LENGTH = 16;

export const phone: FieldType = {
  ...TEXT,
  summary: "a number in E.164, completed with the workspace's country",
  examples: ['+4930123456', '+12025550123'],
  invalid: 'Not a phone number',
  bound: E164_LENGTH,
  /** Converts to E.164. A number without a country code belongs to the default country. */
  parse(input, _field, { defaultCountry }) {
    const refused = refusedText(input, { limit: PHONE_INPUT_LIMIT, singleLine: true });
    if (refused) return refused;
    // With a default country, the library treats a full-width plus as punctuation.
    const written = (input as string).trim().replace(/^＋/, '+');
    const country = defaultCountry !== undefined && isSupportedCountry(defaultCountry) ? defaultCountry : undefined;
    if (country === undefined && !written.startsWith('+') && /\p{Nd}/u.test(written)) {
      return refuse('PHONE_COUNTRY_MISSING', 'Must start with + and the country code, such as +49 30 123456');
    }
    const parsed = parsePhoneNumberFromString(written, { defaultCountry: country, extract: false });
    if (!parsed?.isValid()) return refuse('INVALID_PHONE', 'Must be a phone number such as +49 30 123456');
    // E.164 has no place for an extension, and dropping it would change the number.
    if (parsed.ext) return refuse('INVALID_PHONE', 'Must be a phone number without an extension');
    return accept(parsed.number);
  },
  toUniqueKey: (value) => value as string,
};

/** Longest address, in code points; browsers and servers commonly accept this length. */
const URL_LIMIT = 2048;

const FORM: Parameters<typeof validator.isURL>[1] = {
  protocols: ['https'],
  require_protocol: true,
  // A link may lead to a host in the reader's own network; the platform never calls it.
  require_tld: false,
  // A password in a link would be shown to everyone who can read the record.
  disallow_auth: true,
  validate_length: false,
};

export const url: FieldType = {
  ...TEXT,
  summary: 'an https URL of up to 2,048 characters',
  examples: ['https://example.com/a', 'https://example.com/b'],
  invalid: 'Not an https address',
  isLong: true,
  bound: URL_LIMIT,
  /** Returns the address unchanged; checks only its form. */
  parse(input) {
    const refused = refusedText(input, { limit: URL_LIMIT, singleLine: true });
    if (refused) return refused;
    return isHttpsUrl(input as string)
      ? accept(input)
      : refuse('INVALID_URL', 'Must be an https URL without user name and password, such as https://example.com/page');
  },
  /** Scheme and host in lower case, as in the URL standard; the rest of an address keeps its case. */
  toUniqueKey: (value) => new URL(value as string).href,
};

function isHttpsUrl(value: string): boolean {
  // The URL standard drops tabs and replaces backslashes; a link must mean what it looks like.
  if (!/^https:\/\//i.test(value) || /[\s\\\p{Cc}]/u.test(value)) return false;
  return validator.isURL(value, FORM) && parseUrl(value) !== undefined;
}

/** Fewer are part of too many other numbers. */
const FEWEST_DIGITS = 5;

/**
 * The digits by which a phone number is found however it is written, without the prefix of its country and without leading zeros.
 * @returns null for what is no phone number
 */
export function phoneDigits(text: string, country: string | null): string | null {
  if (!/^[+(]?[0-9][0-9 ()./-]*$/.test(text.trim())) return null;
  const defaultCountry = country !== null && isSupportedCountry(country) ? country : undefined;
  const parsed = parsePhoneNumberFromString(text, { defaultCountry, extract: false });
  const digits = parsed?.isPossible() ? parsed.nationalNumber : text.replace(/[^0-9]/g, '').replace(/^0+/, '');
  return digits.length < FEWEST_DIGITS ? null : digits;
}
