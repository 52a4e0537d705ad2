/** `@crm/sdk/embed`: shows the CRM in a page of a host. */
export { type Embedding, embed } from './embed.js';
export { EmbedError, type EmbedErrorCode, type EmbedEvent, type EmbedOptions, type TokenRequest } from './options.js';
export {
  type ColorScheme,
  type EmbedTheme,
  type EmbedView,
  type PageErrorCode,
  THEME_COLORS,
  type ThemeColor,
  type TokenReason,
} from './protocol/messages.js';
