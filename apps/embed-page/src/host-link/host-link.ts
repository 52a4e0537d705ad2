import {
  type EmbedTheme,
  type EmbedView,
  type HostMessage,
  type PageMessage,
  parseHostMessage,
  type TokenReason,
} from '@crm/sdk/embed/protocol';

/** What the host told the page about its looks. */
export interface HostWishes {
  readonly theme: EmbedTheme;
  readonly locale: string | undefined;
  readonly view: EmbedView | undefined;
}

/** What the link needs of the window. */
export interface LinkPorts {
  /** Posts to the parent window, if that is of the origin. */
  readonly post: (message: PageMessage, origin: string) => void;
  readonly onToken: (token: string) => void;
  readonly onTokenFailed: () => void;
  readonly onDestroyed: () => void;
  readonly onWishes: (wishes: HostWishes) => void;
  readonly onOtherVersion: (version: number) => void;
}

/**
 * The page's side of the protocol, without the window that carries it. Only the parent window can speak, and only when its
 * origin is one that the app allows. The first origin that does is the host from then on: the page answers it alone.
 */
export class HostLink {
  private host: string | undefined;
  private wishes: HostWishes = { theme: {}, locale: undefined, view: undefined };

  constructor(
    private readonly allowedOrigins: readonly string[],
    private readonly ports: LinkPorts,
  ) {}

  /** Tells the host that the page listens, and asks for the first token. */
  start(): void {
    this.send({ type: 'ready' });
    this.askForToken('first');
  }

  /**
   * @param isFromParent whether the message's source is the parent window
   * @returns whether it was a message of the host
   */
  receive(isFromParent: boolean, origin: string, data: unknown): boolean {
    if (!isFromParent || !this.allowedOrigins.includes(origin)) return false;
    if (this.host !== undefined && this.host !== origin) return false;
    const parsed = parseHostMessage(data);
    if (parsed.kind === 'ignored') return false;
    this.host = origin;
    if (parsed.kind === 'other-version') this.ports.onOtherVersion(parsed.version);
    else this.handle(parsed.message);
    return true;
  }

  /** Until the host has spoken, it can be any of the allowed origins; the browser delivers to the right one only. */
  send(message: PageMessage): void {
    for (const origin of this.host === undefined ? this.allowedOrigins : [this.host]) this.ports.post(message, origin);
  }

  askForToken(reason: TokenReason): void {
    this.send({ type: 'token-wanted', reason });
  }

  private handle(message: HostMessage): void {
    switch (message.type) {
      case 'token':
        this.ports.onToken(message.token);
        break;
      case 'token-failed':
        this.ports.onTokenFailed();
        break;
      case 'destroyed':
        this.ports.onDestroyed();
        break;
      case 'theme':
        this.wish({ theme: message.theme });
        break;
      case 'locale':
        this.wish({ locale: message.locale });
        break;
      case 'navigate':
        this.wish({ view: message.view });
        break;
    }
  }

  private wish(part: Partial<HostWishes>): void {
    this.wishes = { ...this.wishes, ...part };
    this.ports.onWishes(this.wishes);
  }
}
