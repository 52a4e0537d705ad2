/**
 * Text from a package as Postgres can store it: a JSON string may hold U+0000 and lone surrogates, a text column neither.
 * @param maxLength in UTF-16 units
 */
export function storedText(value: string, maxLength: number): string {
  const shown = value.replaceAll('\u0000', '').slice(0, maxLength);
  // Encoding writes U+FFFD for half of a surrogate pair, also for one that the cut above left.
  return Buffer.from(shown, 'utf8').toString('utf8');
}
