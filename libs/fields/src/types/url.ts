import { parseUrl } from '@crm/address-policy';
import validator from 'validator';
import { accept, type FieldType, refuse, refusedText } from './field-type.js';
import { text } from './text.js';

/** Longest address, in code points; browsers and servers commonly accept this length. */
export const URL_LIMIT = 2048;

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
  ...text,
  name: 'url',
  bound: URL_LIMIT,
  /** Returns the address unchanged; checks only its form. */
  parse(input) {
    const refused = refusedText(input, { limit: URL_LIMIT, singleLine: true });
    if (refused) return refused;
    return isHttpsUrl(input as string)
      ? accept(input)
      : refuse(
          'INVALID_URL',
          'Must be an https address without user name and password, as in https://example.com/page',
        );
  },
  /** Scheme and host in lower case, as in the URL standard; the rest of an address keeps its case. */
  toUniqueKey: (value) => new URL(value as string).href,
};

function isHttpsUrl(value: string): boolean {
  // The URL standard drops tabs and replaces backslashes; a link must mean what it looks like.
  if (!/^https:\/\//i.test(value) || /[\s\\\p{Cc}]/u.test(value)) return false;
  return validator.isURL(value, FORM) && parseUrl(value) !== undefined;
}
