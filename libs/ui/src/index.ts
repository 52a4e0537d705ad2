export { Icon } from './icon.js';
export { Kit, shareNonce } from './kit.js';
export {
  catalogue,
  LANGUAGES,
  type Language,
  type Locale,
  LocaleProvider,
  languageOf,
  plural,
  useLocale,
  useTexts,
} from './locale.js';
export { EmptyNotice, Loaded, LoadingLines, ProblemNotice, type Words } from './problem-notice.js';
export type { Theme } from './theme.js';
