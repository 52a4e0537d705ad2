/** A name as one step of a JSON pointer, without the slash before it (RFC 6901, section 3). */
export function escapePointer(name: string): string {
  return /[~/]/.test(name) ? name.replaceAll('~', '~0').replaceAll('/', '~1') : name;
}
