import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { type Language, languageOf, localeTag } from './language.js';

/** The texts of a feature in every language; `Texts` is an object of texts and of functions that make texts. */
type Catalogue<Texts> = Readonly<Record<Language, Texts>>;

/** The texts of a feature: those in English say which there are. */
export const catalogue = <Texts,>(texts: { readonly en: Texts; readonly de: NoInfer<Texts> }): Catalogue<Texts> =>
  texts;

export interface Locale {
  /** BCP 47 tag. */
  readonly tag: string;
  readonly language: Language;
  /** IANA name; records of a workspace are read in the user's own time zone. */
  readonly timeZone: string;
}

const LocaleContext = createContext<Locale>({ tag: 'en', language: 'en', timeZone: 'UTC' });

/** @param named as a browser or a host page names it */
export function LocaleProvider({ tag: named, children }: { readonly tag: string; readonly children: ReactNode }) {
  const tag = localeTag(named);
  const locale = useMemo(
    () => ({ tag, language: languageOf(tag), timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
    [tag],
  );
  return <LocaleContext value={locale}>{children}</LocaleContext>;
}

export const useLocale = (): Locale => useContext(LocaleContext);

export const useTexts = <Texts,>(catalogue: Catalogue<Texts>): Texts => catalogue[useLocale().language];

/** The form of a counted noun. @param forms by the categories of `Intl.PluralRules`; `other` is always there */
export function plural(
  tag: string,
  count: number,
  forms: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string },
): string {
  const form = forms[new Intl.PluralRules(tag).select(count)] ?? forms.other;
  return form.replace('#', new Intl.NumberFormat(tag).format(count));
}
