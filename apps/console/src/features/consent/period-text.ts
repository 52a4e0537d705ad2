const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/**
 * A period in words, such as `90 days`: in the largest unit that it has two of, so that nobody reads a day for 47 hours.
 * @param tag BCP 47 tag of the language
 */
export function periodText(seconds: number, tag: string): string {
  const [unit, length] = UNITS.find(([, length]) => seconds >= 2 * length) ?? (['minute', 60] as const);
  const count = Math.max(1, Math.round(seconds / length));
  return new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}
