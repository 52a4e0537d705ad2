export {
  type Catalogue,
  LANGUAGES,
  type Language,
  type Locale,
  LocaleProvider,
  languageOf,
  plural,
  useLocale,
  useTexts,
} from './locale/locale.js';
export { Button, type ButtonProps } from './parts/button.js';
export { type ControlProps, Field, type FieldProps } from './parts/field.js';
export { Loading } from './parts/loading.js';
export { Notice, type NoticeProps } from './parts/notice.js';
export { applyTheme, type Theme } from './theme/apply-theme.js';
export { type BaseColours, DARK, LIGHT, paletteOf } from './theme/palette.js';
