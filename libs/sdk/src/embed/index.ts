/** `@crm/sdk/embed`: shows the CRM in a page of a host. */
export { type Embedding, embed } from './embed.js';
export { EmbedError, type EmbedErrorCode, type EmbedEvent, type EmbedOptions, type TokenRequest } from './options.js';
export {
  type ColourScheme,
  type EmbedTheme,
  type EmbedView,
  type PageErrorCode,
  THEME_COLOURS,
  type ThemeColour,
  type TokenReason,
} from './protocol/messages.js';
