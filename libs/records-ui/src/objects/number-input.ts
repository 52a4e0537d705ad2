/** Numbers as people of a locale type them. The digits are always Western ones. */
const formatOf = (tag: string, options?: Intl.NumberFormatOptions): Intl.NumberFormat =>
  new Intl.NumberFormat(tag, { numberingSystem: 'latn', ...options });

/** More digits than these a number of the API cannot keep. */
const MOST_DIGITS = 15;

/** @returns the text for an input, without groups, so that nothing is in the way of a change */
export const numberInput = (value: number, tag: string): string =>
  formatOf(tag, { useGrouping: false, maximumFractionDigits: 20 }).format(value);

/** @returns NaN for what is no number in this locale, such as 1.5 in German, and for one that would be rounded */
export function parseNumber(text: string, tag: string): number {
  const parts = formatOf(tag).formatToParts(12_345.6);
  const signOf = (type: 'group' | 'decimal'): string => plain(parts.find((part) => part.type === type)?.value ?? '');
  const [group, decimal] = [signOf('group'), signOf('decimal')];
  const typed = plain(text).trim();
  const form = new RegExp(`^[-+]?(?:\\d+|\\d{1,3}(?:[${group}]\\d{3})+)?(?:[${decimal}]\\d*)?$`);
  const digits = typed.replace(/\D/g, '');
  if (digits === '' || digits.replace(/^0+/, '').length > MOST_DIGITS || !form.test(typed)) return Number.NaN;
  return Number(typed.replaceAll(group, '').replace(decimal, '.'));
}

/** With the signs that a keyboard has, and without marks that are not seen. */
const plain = (text: string): string =>
  text
    .replace(/[\u061C\u200E\u200F]/g, '')
    .replace(/\s/g, ' ')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/\u2212/g, '-');
