/** Longest name in a mail, in characters. */
const MOST_CHARACTERS = 60;

/**
 * The name of a workspace as a mail to somebody outside it may carry it: a few plain words. Whoever registers chooses the
 * name, so it must be no place for a message or a link. Control and format characters go (line breaks, marks that turn the
 * direction of writing, invisible ones), compatibility forms become the plain ones, and what mail programs make a link of
 * falls apart.
 * @returns at most 60 characters; `a workspace` when nothing is left
 */
export function plainName(name: string): string {
  const plain = name
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .replace(/[/\\@:<>[\]|]+/g, ' ')
    // U+3002 and U+FF61 separate the labels of a domain as well (RFC 3490, section 3.1).
    .replace(/[.\u3002\uff61]+(?=\S)/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return [...plain].slice(0, MOST_CHARACTERS).join('').trim() || 'a workspace';
}
