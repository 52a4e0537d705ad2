export { Act, Confirm, Question } from './confirm.js';
export { Copy } from './copy.js';
export { EmailInput, Form, NameInput, REQUIRED, type Values, valuesOf } from './form.js';
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
export { AddressNotFound, Page, SignInLink } from './page.js';
export { PAGE_TEXTS } from './page.texts.js';
export { CurrentPasswordInput, NewPasswordInput } from './passwords.js';
export { EmptyNotice, Loaded, LoadingLines, ProblemNotice, type Words } from './problem-notice.js';
export type { Theme } from './theme.js';
