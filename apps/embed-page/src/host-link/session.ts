import type { TokenSource } from '@crm/api-client';
import type { TokenReason } from '@crm/sdk/embed/protocol';

/**
 * How long a token has been given, in milliseconds from now. Counted from its own times and not from this machine's clock,
 * which may be wrong by hours, unless the clock says that less is left: a host may hand on a token that it has had for a while.
 * @param token a JWT; its signature is the API's business
 * @returns undefined when it names no times
 */
function tokenLifetimeMs(token: string, now: number): number | undefined {
  const claims = claimsOf(token);
  const { iat, exp } = claims ?? {};
  if (typeof exp !== 'number' || typeof iat !== 'number' || exp <= iat) return undefined;
  const whole = (exp - iat) * 1000;
  const left = exp * 1000 - now;
  // A clock that is ahead by more than the token lives says nothing.
  return left > 0 && left < whole ? left : whole;
}

/**
 * Whose token it is: workspace and user. One that names nobody is nobody else's either.
 * @param token a JWT; its signature is the API's business
 */
function tokenHolder(token: string): string {
  const { tid, sub } = claimsOf(token) ?? {};
  return typeof tid === 'string' && typeof sub === 'string' ? `${tid}/${sub}` : token;
}

function claimsOf(token: string): Record<string, unknown> | undefined {
  const [, payload = ''] = token.split('.');
  try {
    const parsed: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch (error) {
    // Not a JWT. The API refuses it, and says so.
    if (error instanceof SyntaxError || error instanceof DOMException) return undefined;
    throw error;
  }
}

/** How long before its end a token is replaced, in milliseconds. */
export const RENEW_BEFORE_MS = 60_000;
/** Wait before asking again for a token that the host could not get, as long as the present one is valid. */
export const ASK_AGAIN_MS = 15_000;
/** Longest wait for a token that the page cannot go on without. */
export const TOKEN_TIMEOUT_MS = 15_000;

export type SessionState =
  /** No token yet. */
  | 'waiting'
  | 'active'
  /** The host could not get the first token. */
  | 'not-delivered'
  /** The token ended or was refused, and there is no other. Nothing that it showed is kept. */
  | 'ended'
  | 'destroyed';

/** There is no token to be had; the state says why. */
export class NoToken extends Error {
  override readonly name = 'NoToken';
}

/**
 * The token of the page: in memory only, replaced a minute before it ends and whenever the API refuses it. A token that is
 * replaced in time changes nothing of what is shown, unless it is somebody else's: then nothing of before is kept, and no call of
 * before goes on with it.
 */
export class Session implements TokenSource {
  private token: string | undefined;
  private status: SessionState = 'waiting';
  private who: string | undefined;
  private renewal: ReturnType<typeof setTimeout> | undefined;
  private end: ReturnType<typeof setTimeout> | undefined;
  private patience: ReturnType<typeof setTimeout> | undefined;
  private waiting: { resolve: (token: string) => void; reject: (reason: NoToken) => void }[] = [];
  private readonly listeners = new Set<() => void>();

  /** @param ask tells the host that a token is wanted */
  constructor(private readonly ask: (reason: TokenReason) => void) {}

  get state(): SessionState {
    return this.status;
  }

  /** Whose token the page has, or had last. */
  get holder(): string | undefined {
    return this.who;
  }

  /** @returns ends it */
  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  current(): Promise<string> {
    return this.token === undefined ? this.next() : Promise.resolve(this.token);
  }

  replacementFor(refused: string): Promise<string> {
    if (tokenHolder(refused) !== this.who) return Promise.reject(new NoToken());
    // Another call was refused before, and its replacement is here already.
    if (this.token !== undefined && this.token !== refused) return Promise.resolve(this.token);
    if (this.token === refused) {
      this.token = undefined;
      this.ask('refused');
    }
    return this.next();
  }

  receive(token: string): void {
    if (this.status === 'destroyed') return;
    this.stopTimers();
    this.token = token;
    const isOther = this.takeHolder(tokenHolder(token));
    const lifetime = tokenLifetimeMs(token, Date.now());
    if (lifetime !== undefined) {
      this.renewal = setTimeout(() => this.ask('expiring'), Math.max(lifetime - RENEW_BEFORE_MS, lifetime / 2));
      this.end = setTimeout(() => this.lose('ended'), lifetime);
    }
    for (const { resolve } of this.waiting.splice(0)) resolve(token);
    this.become('active', isOther);
  }

  /** The host could not get a token. One that is still valid is used to its end. */
  fail(): void {
    if (this.token !== undefined) {
      clearTimeout(this.renewal);
      this.renewal = setTimeout(() => this.ask('expiring'), ASK_AGAIN_MS);
      return;
    }
    this.lose(this.status === 'waiting' || this.status === 'not-delivered' ? 'not-delivered' : 'ended');
  }

  /** After an end: the user wants to go on. */
  retry(): void {
    if (this.status === 'destroyed') return;
    this.ask(this.status === 'not-delivered' ? 'first' : 'refused');
  }

  /** The API refuses even a new token. */
  refuse(): void {
    if (this.status !== 'destroyed') this.lose('ended');
  }

  destroy(): void {
    this.lose('destroyed');
  }

  /**
   * Calls that wait for a token of somebody else would be made in the name of this one.
   * @returns whether it is another than before
   */
  private takeHolder(holder: string): boolean {
    if (this.who === holder) return false;
    if (this.who !== undefined) for (const { reject } of this.waiting.splice(0)) reject(new NoToken());
    this.who = holder;
    return true;
  }

  private next(): Promise<string> {
    if (this.status === 'destroyed' || this.status === 'ended') return Promise.reject(new NoToken());
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      this.patience ??= setTimeout(() => this.fail(), TOKEN_TIMEOUT_MS);
    });
  }

  private lose(state: SessionState): void {
    this.stopTimers();
    this.token = undefined;
    for (const { reject } of this.waiting.splice(0)) reject(new NoToken());
    this.become(state);
  }

  private become(state: SessionState, isOther = false): void {
    if (this.status === state && !isOther) return;
    this.status = state;
    for (const listener of this.listeners) listener();
  }

  private stopTimers(): void {
    clearTimeout(this.renewal);
    clearTimeout(this.end);
    clearTimeout(this.patience);
    this.patience = undefined;
  }
}
