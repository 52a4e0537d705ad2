import type { NewMail } from './mail.repository.js';

/** A notice is of use until it is read. */
export const NOTICE_SECONDS = 3 * 24 * 3600;

/** @param lines below the greeting */
export function letter(
  recipient: string,
  subject: string,
  validSeconds: number,
  lines: readonly string[],
  greeting = 'Hello,',
): NewMail {
  return { recipient, subject, body: [greeting, '', ...lines, ''].join('\n'), validSeconds };
}

/** Names come from users; a line break in one must not become one in a mail. */
export const singleLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const MOST_CHARACTERS = 60;

/**
 * Anyone who registers or submits chooses the name, so it must be no place for a message or a link: control and format
 * characters go, and what mail programs make a link of falls apart.
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

/**
 * Like {@link plainName}, but punctuation, numbers and versions stay: one line that cannot look like another part of the
 * mail.
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

/** Longest reason in a mail: enough to know what to do. The whole of it is where decisions are read. */
const MAX_REASON_CHARACTERS = 1000;

/** Operators may quote in it what an app or a workspace says of itself. @returns lines, none without a reason */
export function quotedReason(reason: string | undefined): string[] {
  const text = plainText(reason ?? '', MAX_REASON_CHARACTERS);
  return text === '' ? [] : ['The reason given:', '', `  ${text}`, ''];
}
