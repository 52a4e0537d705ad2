/** Longest name in a mail, in characters. */
const MOST_CHARACTERS = 60;

/**
 * The name of a workspace or an app as a mail may carry it: a few plain words. Whoever registers or submits chooses the
 * name, so it must be no place for a message or a link. Control and format characters go (line breaks, marks that turn the
 * direction of writing, invisible ones), compatibility forms become the plain ones, and what mail programs make a link of
 * falls apart.
 * @param nameless stands for a name of which nothing is left
 * @returns at most 60 characters
 */
export function plainName(name: string, nameless = 'a workspace'): string {
  const plain = name
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .replace(/[/\\@:<>[\]|]+/g, ' ')
    // U+3002 and U+FF61 separate the labels of a domain as well (RFC 3490, section 3.1).
    .replace(/[.\u3002\uff61]+(?=\S)/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return [...plain].slice(0, MOST_CHARACTERS).join('').trim() || nameless;
}
