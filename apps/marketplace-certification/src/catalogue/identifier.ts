/**
 * Whether a value from a package that nobody has checked could be the key of an app or a version. Only such a value is
 * sent to the database: anything else cannot be stored there and may hold characters that a text column rejects.
 */
export function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9._+-]{1,128}$/.test(value);
}
