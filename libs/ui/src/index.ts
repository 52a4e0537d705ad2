export { Icon } from './icon.js';
export { Kit, shareNonce } from './kit.js';
export { LANGUAGES, type Language, languageOf, localeTag } from './language.js';
export {
  catalogue,
  type Locale,
  LocaleProvider,
  plural,
  useLocale,
  useTexts,
} from './locale.js';
export { EmptyNotice, Loaded, LoadingLines, ProblemNotice, type Words } from './problem-notice.js';
export type { Theme } from './theme.js';
