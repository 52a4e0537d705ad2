/** What is known of the user whose password it will be. */
export interface PasswordOwner {
  email: string;
  name: string;
  /** Name of the workspace. */
  workspace?: string;
}

/** Shorter words are in too many good passwords by chance. */
const SHORTEST = 3;
/** Letters that must remain of a password when what is known of its owner is taken out of it. */
const LETTERS_LEFT = 5;

/** What anybody who attacks this account knows: address, name and workspace, whole and in words; lower case. */
export function ownWords({ email, name, workspace = '' }: PasswordOwner): string[] {
  const wholes = [email, name, workspace].map(plain);
  const words = wholes.flatMap((text) => [
    text,
    ...text.split(/[^\p{L}\p{N}]+/u),
    text.replace(/[^\p{L}\p{N}]+/gu, ''),
  ]);
  return [...new Set(words)]
    .filter((word) => word.length >= SHORTEST)
    .sort((left, right) => right.length - left.length);
}

/** Whether hardly a letter is left of a password without its owner's words, such as of `Globex-Admin-2026`. */
export function consistsOf(password: string, words: readonly string[]): boolean {
  const text = plain(password);
  const rest = words.reduce((left, word) => left.replaceAll(word, ' '), text);
  return rest !== text && rest.replace(/\P{L}+/gu, '').length < LETTERS_LEFT;
}

/** Without case and accents. */
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
