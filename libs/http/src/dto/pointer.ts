/** A member's name as a part of a JSON pointer (RFC 6901, section 3). */
export const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
