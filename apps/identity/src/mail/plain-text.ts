/**
 * A text that somebody else wrote, as a mail may carry it: one line of plain sentences that cannot look like another part of
 * the mail and leads nowhere. Line breaks become spaces, invisible characters and marks that turn the direction of writing
 * go, compatibility forms become the plain ones, and what mail programs make a link of falls apart. Unlike in a name
 * ({@link plainName}) punctuation, numbers and versions stay.
 * @returns at most so many characters, and ` …` for what was left out; empty when nothing is left
 */
export function plainText(text: string, mostCharacters: number): string {
  const characters = [...plainSentences(text)];
  if (characters.length <= mostCharacters) return characters.join('');
  return `${characters.slice(0, mostCharacters).join('').trim()} …`;
}

function plainSentences(text: string): string {
  return (
    text
      .normalize('NFKC')
      .replace(/\p{Cf}/gu, '')
      .replace(/[\p{C}\p{Z}]+/gu, ' ')
      .replace(/:+(?=\S)/g, ' ')
      .replace(/[/\\@<>]+/g, ' ')
      // Between digits it separates the parts of a number or a version, and no domain ends in a number. U+3002 and U+FF61
      // separate the labels of a domain as well (RFC 3490, section 3.1).
      .replace(/(?<![0-9])[.\u3002\uff61]+(?=\S)|[.\u3002\uff61]+(?=[^\s0-9])/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim()
  );
}
