import { parseUrl } from '@crm/address-policy';
import { isUuid } from '@crm/contracts';
import type { StringFormat } from './schema.js';

/** The form of HTML's e-mail input, with a dot required in the domain: so that mail can be sent to the address over the internet. */
const EMAIL =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/i;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const isDate = (text: string): boolean => {
  const match = DATE.exec(text);
  if (!match) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  // Postgres has no year 0; the last day of a month is day 0 of the next one.
  return (
    year >= 1 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= new Date(Date.UTC(2000, month, 0)).getUTCDate() &&
    (month !== 2 || day !== 29 || (year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)))
  );
};

const isHttpUrl = (text: string): boolean => {
  // The WHATWG parser silently drops tabs and line breaks, so an address with them would change.
  if (!/^https?:\/\/[^\s\\]+$/i.test(text)) return false;
  return parseUrl(text) !== undefined;
};

/** Checks of the formats that fields use, with the text for the error message. */
export const FORMATS: Readonly<
  Record<StringFormat, { readonly test: (text: string) => boolean; readonly expected: string }>
> = {
  email: { test: (text) => EMAIL.test(text), expected: 'an e-mail address' },
  uuid: { test: isUuid, expected: 'a UUID' },
  date: { test: isDate, expected: 'a date (YYYY-MM-DD)' },
  'date-time': {
    test: (text) => isDate(DATE_TIME.exec(text)?.[1] ?? ''),
    expected: 'a date and time with an offset (RFC 3339)',
  },
  uri: { test: isHttpUrl, expected: 'an http or https URL' },
};
