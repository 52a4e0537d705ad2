/**
 * The `code` that Node puts on its errors, or an empty text. Not by `instanceof`: errors of the runtime may come from
 * another realm.
 */
export function errorCodeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

/** What an error says. */
export function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
}
