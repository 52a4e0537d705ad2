import { type CheckedOptions, EmbedError, type EmbedEvent } from './options.js';
import {
  type EmbedTheme,
  type EmbedView,
  type HostMessage,
  type PageMessage,
  PROTOCOL_VERSION,
  type TokenReason,
} from './protocol/messages.js';
import { parsePageMessage } from './protocol/parse.js';

/** The frame is never lower than this, so that what is loading or empty has space; in pixels. */
const MIN_HEIGHT = 320;
/** A page that claims to be higher scrolls inside the frame. */
const MAX_HEIGHT = 20_000;

/**
 * The frame of the embed page. It may run scripts under its own origin and show forms; it may not open windows or navigate the
 * host's page.
 */
export function createFrame(document: Document, { pageUrl, title = 'CRM' }: CheckedOptions): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.title = title;
  frame.referrerPolicy = 'no-referrer';
  frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms');
  frame.style.border = '0';
  frame.style.display = 'block';
  frame.style.width = '100%';
  // A frame is transparent only if both documents have the same colour scheme; the page paints its own background.
  frame.style.colorScheme = 'normal';
  frame.style.height = `${MIN_HEIGHT}px`;
  frame.src = pageUrl;
  return frame;
}

/** @param height of the content in pixels */
export function fitFrame(frame: HTMLIFrameElement, height: number): void {
  frame.style.height = `${Math.min(Math.max(Math.ceil(height), MIN_HEIGHT), MAX_HEIGHT)}px`;
}

/** How long the page has for its first message, in milliseconds. */
export const READY_TIMEOUT_MS = 10_000;
/** How long `fetchToken` has, in milliseconds; the page waits a little longer. */
export const FETCH_TIMEOUT_MS = 12_000;

/** What the session needs of its surroundings. */
interface SessionPorts {
  /** Posts to the page, and to its origin alone. */
  readonly post: (message: HostMessage) => void;
  readonly emit: (event: EmbedEvent) => void;
}

/** The host's side of the protocol, without the window that carries it. */
export class HostSession {
  private isEnded = false;
  private readonly readyTimer: ReturnType<typeof setTimeout>;
  private isReady = false;
  private theme: EmbedTheme | undefined;
  private locale: string | undefined;
  private view: EmbedView | undefined;
  /** The request for a token in progress, so that the page's asking twice does not mint twice. */
  private asking: Promise<string> | undefined;
  /** Ends that request. */
  private request = new AbortController();

  constructor(
    private readonly options: Pick<CheckedOptions, 'fetchToken' | 'theme' | 'locale' | 'view' | 'origin'>,
    private readonly ports: SessionPorts,
  ) {
    this.theme = options.theme;
    this.locale = options.locale;
    this.view = options.view;
    // The backend mints while the page loads. The page's first wish gets this token, or the error.
    this.asking = this.askForToken('first');
    this.asking.catch(() => undefined);
    this.readyTimer = setTimeout(() => this.reportRefusal(), READY_TIMEOUT_MS);
  }

  /** @param data of a message that came from the window and the origin of the page */
  receive(data: unknown): void {
    if (this.isEnded) return;
    const parsed = parsePageMessage(data);
    if (parsed.kind === 'message') this.handle(parsed.message);
    else if (parsed.kind === 'other-version') this.reportVersion(parsed.version);
  }

  navigate(view: EmbedView): void {
    this.view = view;
    if (this.isReady) this.ports.post({ type: 'navigate', view });
  }

  setTheme(theme: EmbedTheme): void {
    this.theme = theme;
    if (this.isReady) this.ports.post({ type: 'theme', theme });
  }

  setLocale(locale: string): void {
    this.locale = locale;
    if (this.isReady) this.ports.post({ type: 'locale', locale });
  }

  /** Can be called twice. */
  destroy(): void {
    if (this.isEnded) return;
    clearTimeout(this.readyTimer);
    if (this.isReady) this.ports.post({ type: 'destroyed' });
    this.isEnded = true;
    this.request.abort();
    this.ports.emit({ type: 'destroyed' });
  }

  private handle(message: PageMessage): void {
    switch (message.type) {
      case 'ready':
        this.greet();
        break;
      case 'token-wanted':
        void this.deliverToken(message.reason);
        break;
      case 'error':
        this.ports.emit({ type: 'error', error: new EmbedError(message.code, message.message) });
        break;
      case 'navigate':
        this.view = message.view;
        this.ports.emit(message);
        break;
      case 'resize':
        this.ports.emit(message);
        break;
    }
  }

  /** A page that was loaded again, for whatever reason, is told everything again. */
  private greet(): void {
    clearTimeout(this.readyTimer);
    this.isReady = true;
    if (this.theme) this.ports.post({ type: 'theme', theme: this.theme });
    if (this.locale) this.ports.post({ type: 'locale', locale: this.locale });
    if (this.view) this.ports.post({ type: 'navigate', view: this.view });
    this.ports.emit({ type: 'ready' });
  }

  private async deliverToken(reason: TokenReason): Promise<void> {
    const asking = this.asking ?? this.askForToken(reason);
    this.asking = asking;
    try {
      const token = await asking;
      if (this.isEnded) return;
      this.ports.post({ type: 'token', token });
      this.ports.emit({ type: 'token', reason });
    } catch (cause) {
      if (this.isEnded) return;
      this.ports.post({ type: 'token-failed' });
      const error = new EmbedError('fetch_token_failed', "The host couldn't get a token", { cause });
      this.ports.emit({ type: 'error', error });
    } finally {
      if (this.asking === asking) this.asking = undefined;
    }
  }

  /** A request that never answers is ended, so that the next wish of the page makes another. */
  private async askForToken(reason: TokenReason): Promise<string> {
    const request = new AbortController();
    this.request = request;
    const tooLate = new Error(`fetchToken didn't return within ${FETCH_TIMEOUT_MS / 1000} seconds`);
    const timer = setTimeout(() => request.abort(tooLate), FETCH_TIMEOUT_MS);
    try {
      const token = await Promise.race([this.options.fetchToken({ reason, signal: request.signal }), aborted(request)]);
      if (typeof token !== 'string' || token === '') throw new TypeError('fetchToken did not return a token');
      return token;
    } finally {
      clearTimeout(timer);
    }
  }

  private reportRefusal(): void {
    const message =
      `The embed page at ${this.options.origin} didn't respond. Check the client ID, and that the origin of this page ` +
      "is one of the app's allowed origins.";
    this.ports.emit({ type: 'error', error: new EmbedError('frame_refused', message) });
  }

  private reportVersion(version: number): void {
    clearTimeout(this.readyTimer);
    const message = `The embed page uses protocol version ${version}, this package ${PROTOCOL_VERSION}. Update the package.`;
    this.ports.emit({ type: 'error', error: new EmbedError('protocol_version', message) });
  }
}

const aborted = ({ signal }: AbortController): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
