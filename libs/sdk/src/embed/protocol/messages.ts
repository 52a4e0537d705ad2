import type { EmbedTheme } from './theme.js';
import type { EmbedView } from './view.js';

/** Why the embed page cannot show what it was asked to. */
export const PAGE_ERRORS = ['token_refused', 'token_not_delivered', 'forbidden', 'unavailable', 'unsupported'] as const;
export type PageErrorCode = (typeof PAGE_ERRORS)[number];

/** What the host sends to the embed page. */
export type HostMessage =
  /** A token for the calls of the API: the first, or one that replaces it. */
  | { readonly type: 'token'; readonly token: string }
  /** `fetchToken` of the host failed; the page keeps what it has as long as that is valid. */
  | { readonly type: 'token-failed' }
  | { readonly type: 'navigate'; readonly view: EmbedView }
  | { readonly type: 'theme'; readonly theme: EmbedTheme }
  | { readonly type: 'locale'; readonly locale: string }
  /** The host is done with the page, which forgets its token. */
  | { readonly type: 'destroyed' };

/** What the embed page sends to the host. */
export type PageMessage =
  /** The page listens. The host answers with theme, locale, view and token. */
  | { readonly type: 'ready' }
  /** The page has no token, or the one it has ends within a minute, or was refused. */
  | { readonly type: 'token-wanted'; readonly reason: TokenReason }
  | { readonly type: 'error'; readonly code: PageErrorCode; readonly message: string }
  /** Height of the content in pixels. */
  | { readonly type: 'resize'; readonly height: number }
  /** The user went somewhere else in the page. */
  | { readonly type: 'navigate'; readonly view: EmbedView };

export const TOKEN_REASONS = ['first', 'expiring', 'refused'] as const;
export type TokenReason = (typeof TOKEN_REASONS)[number];

export type HostMessageType = HostMessage['type'];
export type PageMessageType = PageMessage['type'];
