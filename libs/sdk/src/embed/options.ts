import {
  type EmbedTheme,
  type EmbedView,
  type PageErrorCode,
  parseLocale,
  parseTheme,
  parseView,
  type TokenReason,
} from './protocol/messages.js';

/** Why the CRM is not shown, or not any more. */
export type EmbedErrorCode =
  /** An option of `embed` is missing or malformed; thrown, not reported. */
  | 'invalid_options'
  /**
   * The page did not answer. Nearly always the browser refused to frame it, because the origin of this page is not among the
   * allowed origins of the app; it tells no script so.
   */
  | 'frame_refused'
  /** The embed page speaks another version of the protocol: update this package. */
  | 'protocol_version'
  /** `fetchToken` rejected, returned no token or took longer than 12 seconds; its error is the `cause`. */
  | 'fetch_token_failed'
  | PageErrorCode;

export class EmbedError extends Error {
  override readonly name = 'EmbedError';

  constructor(
    readonly code: EmbedErrorCode,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}

/** What happened in the frame. */
export type EmbedEvent =
  /** The page answered and is about to show records. */
  | { readonly type: 'ready' }
  /** The page got a token; `reason` says whether it was the first. */
  | { readonly type: 'token'; readonly reason: TokenReason }
  | { readonly type: 'error'; readonly error: EmbedError }
  /** The height of the content in pixels changed; the frame follows it unless `autoHeight` is false. */
  | { readonly type: 'resize'; readonly height: number }
  /** The user went to another list or record: keep it as a deep link, and pass it as `view` next time. */
  | { readonly type: 'navigate'; readonly view: EmbedView }
  | { readonly type: 'destroyed' };

export interface TokenRequest {
  readonly reason: TokenReason;
  /** Aborted when the embedding is destroyed, and after 12 seconds: the page then asks again. */
  readonly signal: AbortSignal;
}

export interface EmbedOptions {
  /** Client id of the embedding app. It is public. */
  readonly clientId: string;
  /** Address of the embedding API, such as `https://embed.crm.example.com`. */
  readonly embedUrl: string;
  /**
   * Asks your backend for a token of the user who is signed in to your product; the backend mints it with `@crm/sdk/embed/server`.
   * Called for the first token, a minute before one ends, and when one was refused.
   */
  readonly fetchToken: (request: TokenRequest) => Promise<string>;
  /** The list or record to show first. */
  readonly view?: EmbedView;
  readonly theme?: EmbedTheme;
  /** BCP 47 tag; the language of this page by default. */
  readonly locale?: string;
  /** Accessible name of the frame; `CRM` by default. */
  readonly title?: string;
  /** True when the frame is as high as its content, at least 320 pixels; true by default. */
  readonly autoHeight?: boolean;
  readonly onEvent?: (event: EmbedEvent) => void;
}

/** Options that were checked, with the address of the page. */
export interface CheckedOptions extends EmbedOptions {
  readonly pageUrl: string;
  readonly origin: string;
}

const CLIENT_ID = /^[\w-]{1,200}$/;

/** @throws EmbedError `invalid_options` */
export function checkOptions(options: EmbedOptions): CheckedOptions {
  const { clientId, embedUrl, fetchToken, view, theme, locale } = options;
  if (typeof clientId !== 'string' || !CLIENT_ID.test(clientId)) throw invalid('clientId is not a client id');
  if (typeof fetchToken !== 'function') throw invalid('fetchToken is not a function');
  if (view !== undefined && !parseView(view)) throw invalid("view isn't a list or record");
  if (theme !== undefined && !parseTheme(theme)) {
    throw invalid('theme has an unknown or out-of-range value; write colors as #rrggbb');
  }
  if (locale !== undefined && !parseLocale(locale)) throw invalid("locale isn't a BCP 47 tag, such as en-US");
  const { origin } = parseEmbedUrl(embedUrl);
  return { ...options, origin, pageUrl: `${origin}/embed/${clientId}` };
}

function parseEmbedUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch (cause) {
    throw new EmbedError('invalid_options', "embedUrl isn't a URL", { cause });
  }
  if (!/^https?:$/.test(url.protocol)) throw invalid('embedUrl must begin with https://');
  return url;
}

const invalid = (message: string): EmbedError => new EmbedError('invalid_options', message);
