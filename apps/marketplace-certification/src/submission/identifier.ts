/**
 * Whether a value of an unjudged package could be an app's key or a version. Only such a value is sent to the database:
 * anything else may hold what a text column refuses, and can have been stored by nobody.
 */
export function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9._+-]{1,128}$/.test(value);
}
