import { de } from './texts/de.js';
import { type CatalogueTexts, en } from './texts/en.js';

/** The languages that a workspace can choose; one more is an entry here and a file in each folder called `texts`. */
const CATALOGUES = { en, de };

export type Language = keyof typeof CATALOGUES;
export const LANGUAGES = Object.keys(CATALOGUES) as readonly Language[];

/** A text in every language. */
export type Texts = Readonly<Record<Language, string>>;

/** @param pick a text of the catalogue @returns it in every language */
export const textsOf = (pick: (texts: CatalogueTexts) => string): Texts =>
  Object.fromEntries(LANGUAGES.map((language) => [language, pick(CATALOGUES[language])])) as Texts;
