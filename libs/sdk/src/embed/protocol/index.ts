/** `@crm/sdk/embed/protocol`: the messages between a host's page and the embed page. `@crm/sdk/embed` sends them for a host. */
export { inEnvelope } from './envelope.js';
export { parseLocale } from './locale.js';
export {
  type HostMessage,
  type HostMessageType,
  PAGE_ERRORS,
  type PageErrorCode,
  type PageMessage,
  type PageMessageType,
  TOKEN_REASONS,
  type TokenReason,
} from './messages.js';
export { type Parsed, parseHostMessage, parsePageMessage } from './parse.js';
export {
  COLOUR_SCHEMES,
  type ColourScheme,
  type EmbedTheme,
  parseTheme,
  THEME_COLOURS,
  type ThemeColour,
} from './theme.js';
export { PROTOCOL, PROTOCOL_VERSION } from './version.js';
export { type EmbedView, parseView } from './view.js';
