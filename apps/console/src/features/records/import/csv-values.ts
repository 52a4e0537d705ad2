import type { FieldValue } from '@crm/api-client';
import { CORE_OBJECTS, type CoreObject } from '@crm/contracts/objects';
import type { FieldModel, ObjectModel } from '@crm/records-ui';
import { parseNumber, writableFields } from '@crm/records-ui/fields';

export type CellFault = 'notANumber' | 'notADate' | 'notAYes' | 'noOption' | 'noPerson' | 'notAnId';

/** What a cell becomes: a value, null for an empty one, or why it becomes none. */
export type Cell = { readonly value: FieldValue } | { readonly fault: CellFault };

export interface CellContext {
  /** BCP 47 tag in whose way numbers and days are written. */
  readonly tag: string;
  /** Ids of people by their address or name in lower case. */
  readonly people: ReadonlyMap<string, string>;
}

const YES = new Set(['true', 'yes', 'y', 'ja', 'j', 'x', '1']);
const NO = new Set(['false', 'no', 'n', 'nein', '0']);
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function cellOf(field: FieldModel, text: string, { tag, people }: CellContext): Cell {
  if (text === '') return { value: null };
  switch (field.type) {
    case 'number':
    case 'currency':
    case 'percent': {
      const value = parseNumber(text.replace(/\s*[€$£%]$|^[€$£]\s*/, ''), tag);
      return Number.isNaN(value) ? { fault: 'notANumber' } : { value };
    }
    case 'date': {
      const value = dayOf(text, tag);
      return value === undefined ? { fault: 'notADate' } : { value };
    }
    case 'datetime': {
      const value = momentOf(text, tag);
      return value === undefined ? { fault: 'notADate' } : { value };
    }
    case 'checkbox': {
      const word = text.toLowerCase();
      return YES.has(word) ? { value: true } : NO.has(word) ? { value: false } : { fault: 'notAYes' };
    }
    case 'picklist': {
      const value = optionOf(field, text);
      return value === undefined ? { fault: 'noOption' } : { value };
    }
    case 'multi_select': {
      const values = text.split(/[;,|]/).map((part) => optionOf(field, part.trim()));
      return values.includes(undefined) ? { fault: 'noOption' } : { value: values as string[] };
    }
    case 'reference': {
      if (UUID.test(text)) return { value: text.toLowerCase() };
      if (field.target !== 'user') return { fault: 'notAnId' };
      const value = people.get(text.toLowerCase());
      return value === undefined ? { fault: 'noPerson' } : { value };
    }
    default:
      return { value: text };
  }
}

/** By its value, or by what it is called. */
const optionOf = ({ options }: FieldModel, text: string): string | undefined =>
  (
    options.find(({ value }) => value === text) ??
    options.find(({ value, label }) => [value, label].some((one) => one.toLowerCase() === text.toLowerCase()))
  )?.value;

/** Two digits of a year from 70 on are of the last century. */
const fullYear = (year: string): number =>
  year.length > 2 ? Number(year) : Number(year) + (Number(year) < 70 ? 2000 : 1900);

/** The order in which a language writes year, month and day. */
const orderOf = (tag: string): string[] =>
  new Intl.DateTimeFormat(tag, { year: 'numeric', month: 'numeric', day: 'numeric', calendar: 'gregory' })
    .formatToParts()
    .map(({ type }) => type)
    .filter((type) => type !== 'literal');

/** A day as the language writes it, or as machines do. @returns undefined for none */
export function dayOf(text: string, tag: string): string | undefined {
  const machine = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text);
  const parts = machine ?? /^(\d{1,4})[./-]\s?(\d{1,2})[./-]\s?(\d{1,4})\.?$/.exec(text);
  if (!parts) return undefined;
  const order = machine ? ['year', 'month', 'day'] : orderOf(tag);
  const part = (type: string): string => parts[order.indexOf(type) + 1] ?? '';
  const [year, month, day] = [fullYear(part('year')), Number(part('month')), Number(part('day'))];
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day || part('day').length > 2) return undefined;
  return date.toISOString().slice(0, 10);
}

/** A moment in the time zone of the user, or with an offset. @returns undefined for none */
function momentOf(text: string, tag: string): string | undefined {
  if (/^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[-+]\d{2}:?\d{2})$/.test(text)) {
    const date = new Date(text);
    return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
  }
  const [, written = '', hours = '0', minutes = '0', seconds = '0', half] =
    /^(\S.*?)(?:[ T,]+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([ap]m)?)?$/i.exec(text) ?? [];
  const day = dayOf(written, tag);
  if (day === undefined || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const hour = half ? (Number(hours) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0) : Number(hours);
  if (hour > 23) return undefined;
  const two = (number: number | string): string => String(number).padStart(2, '0');
  return new Date(`${day}T${two(hour)}:${two(minutes)}:${two(seconds)}`).toISOString();
}

const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** The field that each column is of, as far as its name says: an API name, or a label in any language. */
export function guessMapping(model: ObjectModel, columns: readonly string[]): (string | null)[] {
  const labels = Object.hasOwn(CORE_OBJECTS, model.apiName)
    ? (CORE_OBJECTS[model.apiName as CoreObject].fields as Readonly<
        Record<string, { label: Readonly<Record<string, string>> }>
      >)
    : {};
  const taken = new Set<string>();
  return columns.map((column) => {
    const field = writableFields(model).find(({ apiName, label }) => {
      const texts = Object.values(labels[apiName]?.label ?? {});
      const names = [apiName, apiName.replace(/Id$/, ''), label, ...texts].map(letters);
      return !taken.has(apiName) && letters(column) !== '' && names.includes(letters(column));
    });
    if (field) taken.add(field.apiName);
    return field?.apiName ?? null;
  });
}
