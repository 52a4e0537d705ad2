import { plainText } from './plain-text.js';

/** Longest reason in a mail: enough to know what to do. The whole of it is where decisions are read. */
const MOST_CHARACTERS = 1000;

/**
 * The reason of a decision, as a mail quotes it: an indented paragraph. Operators write it, and may quote in it what an app or a
 * workspace says of itself, so it is no more trusted than that.
 * @returns lines of the body, none without a reason
 */
export function quotedReason(reason: string | undefined): string[] {
  const text = plainText(reason ?? '', MOST_CHARACTERS);
  return text === '' ? [] : ['The reason given:', '', `  ${text}`, ''];
}
