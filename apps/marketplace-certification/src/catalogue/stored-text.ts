/**
 * Text from a package or a request as Postgres can store it: a JSON string may hold U+0000 and lone surrogates, a text
 * column cannot.
 * @param maxLength in UTF-16 units
 */
export function storedText(value: string, maxLength: number): string {
  const shown = value.replaceAll('\u0000', '').slice(0, maxLength);
  // Encoding writes U+FFFD for half of a surrogate pair, also for one that the truncation left.
  return Buffer.from(shown, 'utf8').toString('utf8');
}

/**
 * Whether a value from a package that nobody has checked could be the key of an app or a version. Only such a value is
 * sent to the database: anything else cannot be stored there and may hold characters that a text column rejects.
 */
export function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9._+-]{1,128}$/.test(value);
}
