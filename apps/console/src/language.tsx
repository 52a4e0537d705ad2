import { type Language, LocaleProvider, languageOf } from '@crm/ui';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';

const KEY = 'crm-language';

interface LanguageChoice {
  readonly language: Language;
  choose(language: Language): void;
}

const LanguageContext = createContext<LanguageChoice>({ language: 'en', choose: () => undefined });

export const useLanguageChoice = (): LanguageChoice => useContext(LanguageContext);

/** Texts in the language of the browser, or in the one that was chosen in it. Numbers and dates follow the browser's region. */
export function LanguageProvider({ children }: { readonly children: ReactNode }) {
  const [chosen, setChosen] = useState(() => localStorage.getItem(KEY) ?? undefined);
  const system = navigator.language;
  // A region goes with its language: German texts with the dates of a German browser, not of an English one.
  const tag = chosen === undefined || languageOf(system) === chosen ? system : chosen;
  const language = languageOf(tag);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choice = useMemo(
    () => ({
      language,
      choose: (next: Language) => {
        localStorage.setItem(KEY, next);
        setChosen(next);
      },
    }),
    [language],
  );
  return (
    <LanguageContext value={choice}>
      <LocaleProvider tag={tag}>{children}</LocaleProvider>
    </LanguageContext>
  );
}
