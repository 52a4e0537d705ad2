/** `@crm/sdk/embed/protocol`: the messages between a host's page and the embed page. `@crm/sdk/embed` sends them for a host. */
export {
  COLOR_SCHEMES,
  type ColorScheme,
  type EmbedTheme,
  type EmbedView,
  type HostMessage,
  type HostMessageType,
  inEnvelope,
  PAGE_ERRORS,
  type PageErrorCode,
  type PageMessage,
  type PageMessageType,
  PROTOCOL,
  PROTOCOL_VERSION,
  parseLocale,
  parseTheme,
  parseView,
  THEME_COLORS,
  type ThemeColor,
  TOKEN_REASONS,
  type TokenReason,
} from './messages.js';
export { type Parsed, parseHostMessage, parsePageMessage } from './parse.js';
