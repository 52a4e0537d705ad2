/** `@crm/sdk/embed`: shows the CRM in a page of a host. */
export { type Embedding, embed } from './embed.js';
export { EmbedError, type EmbedErrorCode } from './embed-error.js';
export type { EmbedEvent, EmbedOptions, TokenRequest } from './options.js';
export type { PageErrorCode, TokenReason } from './protocol/messages.js';
export { type ColourScheme, type EmbedTheme, THEME_COLOURS, type ThemeColour } from './protocol/theme.js';
export type { EmbedView } from './protocol/view.js';
