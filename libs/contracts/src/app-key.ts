/** Keys of packages: words of lower-case letters and digits, joined by single hyphens, underscores or dots. */
export const APP_KEY_PATTERN = '^[a-z][a-z0-9]*(?:[-_.][a-z0-9]+)*$';

/** Lengths of the key of a package, in characters. */
export const APP_KEY_LENGTH = { minLength: 2, maxLength: 64 } as const;

const pattern = new RegExp(APP_KEY_PATTERN);

/** Whether a text can be the key of a package. */
export function isAppKey(text: string): boolean {
  const { minLength, maxLength } = APP_KEY_LENGTH;
  return text.length >= minLength && text.length <= maxLength && pattern.test(text);
}
