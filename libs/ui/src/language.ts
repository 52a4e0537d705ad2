/** Languages that the pages' own texts exist in. Numbers and dates follow any locale. */
export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/**
 * A browser may name a locale of its system in place of a tag, such as `C` or `en-US@posix`.
 * @returns what of it is a BCP 47 tag, otherwise English
 */
export function localeTag(text: string): string {
  try {
    return new Intl.Locale(text.replace(/[.@].*$/, '').replaceAll('_', '-')).toString();
  } catch (error) {
    if (error instanceof RangeError) return 'en';
    throw error;
  }
}

/** @returns the language of the tag, English if there are no texts in it */
export function languageOf(tag: string): Language {
  const { language } = new Intl.Locale(localeTag(tag));
  return LANGUAGES.find((known) => known === language) ?? 'en';
}
