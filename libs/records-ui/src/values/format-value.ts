import type { FieldValue } from '@crm/api-client';
import type { Locale } from '@crm/ui';
import type { FieldModel } from '../objects/object-model.js';

/** What is shown of a value; undefined for one that is not set. */
export function formatValue(
  { type, options }: Pick<FieldModel, 'type' | 'options'>,
  value: FieldValue | undefined,
  { tag, timeZone }: Locale,
  words: { readonly yes: string; readonly no: string },
): string | undefined {
  if (value === null || value === undefined || value === '') return undefined;
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  const labelOf = (option: string): string => options.find((known) => known.value === option)?.label ?? option;
  if (typeof value === 'object') return value.length > 0 ? value.map(labelOf).join(', ') : undefined;
  if (typeof value === 'number') {
    const digits = type === 'currency' ? { minimumFractionDigits: 2 } : {};
    return `${new Intl.NumberFormat(tag, { maximumFractionDigits: 6, ...digits }).format(value)}${type === 'percent' ? ' %' : ''}`;
  }
  switch (type) {
    case 'date':
      // A date has no time zone: it is the same day everywhere.
      return dateText(value, tag, { dateStyle: 'medium', timeZone: 'UTC' });
    case 'datetime':
      return dateText(value, tag, { dateStyle: 'medium', timeStyle: 'short', timeZone });
    default:
      return labelOf(value);
  }
}

function dateText(value: string, tag: string, options: Intl.DateTimeFormatOptions): string {
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? value : new Intl.DateTimeFormat(tag, options).format(date);
}

/** An amount of money; without a currency that is known, the bare number. */
export function formatMoney(amount: number, currency: string | undefined, tag: string): string {
  const number = new Intl.NumberFormat(tag, { maximumFractionDigits: 0 }).format(amount);
  if (!currency) return number;
  return /^[A-Z]{3}$/.test(currency)
    ? new Intl.NumberFormat(tag, { style: 'currency', currency, maximumFractionDigits: 0 }).format(amount)
    : `${number} ${currency}`;
}
