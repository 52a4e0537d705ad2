export { Icon } from './icon.js';
export { Kit, type KitProps, shareNonce } from './kit.js';
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
export { EmptyNotice, LoadingLines, ProblemNotice, type ProblemNoticeProps } from './problem-notice.js';
export { type BaseColours, DARK, LIGHT, paletteOf, type Theme } from './theme.js';
