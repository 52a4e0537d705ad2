/** A JSON pointer (RFC 6901) from its steps. No step at all is the whole document, the empty text. */
export function pointer(...steps: (string | number)[]): string {
  return steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
