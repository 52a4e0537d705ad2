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
/** Longest wait for an answer of the host that was asked for a token; longer than the SDK waits for its backend. */
export const TOKEN_TIMEOUT_MS = 15_000;
/** Wait before asking again for a token in place of one that has run out: after a sleep the network comes later than the page. */
export const ASK_SOON_MS = 3_000;
/** How often a token is asked for in place of one that has run out, before what was shown is removed. */
export const ATTEMPTS = 8;

export type SessionState =
  /** No token yet. */
  | 'waiting'
  | 'active'
  /** The host could not get the first token. */
  | 'not-delivered'
  /** The token was refused or has run out, and the host has no other. Nothing that it showed is kept. */
  | 'ended'
  | 'destroyed';

/** There is no token to be had; the state says why. */
export class NoToken extends Error {
  override readonly name = 'NoToken';
}

/**
 * The token of the page: in memory only, replaced a minute before it ends and whenever the API refuses it. While the host is asked
 * for another one, what is shown stays, also a form that is half filled in. A token that is replaced changes nothing of it, unless it is someone else's: then nothing of before is kept, and no call of
 * before goes on with it.
 */
export class Session implements TokenSource {
  private token: string | undefined;
  private status: SessionState = 'waiting';
  private who: string | undefined;
  private renewal: ReturnType<typeof setTimeout> | undefined;
  private end: ReturnType<typeof setTimeout> | undefined;
  /** While the host is asked for a token. */
  private patience: ReturnType<typeof setTimeout> | undefined;
  /** When the token has run out, in milliseconds of this machine's clock, which goes on while it sleeps. */
  private endsAt = Number.POSITIVE_INFINITY;
  /** How often a token may still be asked for in place of one that has run out. */
  private attempts = 0;
  private waiting: { resolve: (token: string) => void; reject: (reason: NoToken) => void }[] = [];
  private readonly listeners = new Set<() => void>();

  /** Waits for the first token, which the page has asked for. @param ask tells the host that a token is wanted */
  constructor(private readonly ask: (reason: TokenReason) => void) {
    this.expectAnswer();
  }

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
      if (Date.now() >= this.endsAt) this.expire();
      else this.want('refused');
    }
    return this.next();
  }

  receive(token: string): void {
    if (this.status === 'destroyed') return;
    this.stopTimers();
    this.token = token;
    const isOther = this.takeHolder(tokenHolder(token));
    const lifetime = tokenLifetimeMs(token, Date.now());
    this.attempts = 0;
    this.endsAt = Number.POSITIVE_INFINITY;
    if (lifetime !== undefined) {
      this.endsAt = Date.now() + lifetime;
      this.renewal = setTimeout(() => this.want('expiring'), Math.max(lifetime - RENEW_BEFORE_MS, lifetime / 2));
      this.end = setTimeout(() => this.expire(), lifetime);
    }
    for (const { resolve } of this.waiting.splice(0)) resolve(token);
    this.become('active', isOther);
  }

  /** The host could not get a token, or has not answered. One that is still valid is used to its end. */
  fail(): void {
    this.stopExpecting();
    if (this.token !== undefined || this.attempts > 0) {
      clearTimeout(this.renewal);
      const wait = this.token === undefined ? ASK_SOON_MS : ASK_AGAIN_MS;
      this.renewal = setTimeout(() => this.want('expiring'), wait);
      return;
    }
    this.lose(this.status === 'waiting' || this.status === 'not-delivered' ? 'not-delivered' : 'ended');
  }

  /** After an end: the user wants to go on. */
  retry(): void {
    if (this.status === 'destroyed') return;
    this.want(this.status === 'not-delivered' ? 'first' : 'refused');
  }

  /** The API refuses even a new token. */
  refuse(): void {
    if (this.status !== 'destroyed') this.lose('ended');
  }

  destroy(): void {
    this.lose('destroyed');
  }

  /**
   * Calls that wait for a token of someone else would be made in the name of this one.
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
      // Nobody is asked after a first token that was not delivered.
      if (this.attempts === 0) this.expectAnswer();
    });
  }

  /** The token has run out: what it showed stays while the host is asked for another. */
  private expire(): void {
    clearTimeout(this.renewal);
    clearTimeout(this.end);
    this.token = undefined;
    this.attempts = ATTEMPTS;
    if (this.patience === undefined) this.want('expiring');
  }

  private want(reason: TokenReason): void {
    if (this.attempts > 0) this.attempts -= 1;
    this.stopExpecting();
    this.expectAnswer();
    this.ask(reason);
  }

  private expectAnswer(): void {
    this.patience ??= setTimeout(() => this.fail(), TOKEN_TIMEOUT_MS);
  }

  private stopExpecting(): void {
    clearTimeout(this.patience);
    this.patience = undefined;
  }

  private lose(state: SessionState): void {
    this.stopTimers();
    this.token = undefined;
    this.attempts = 0;
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
    this.stopExpecting();
  }
}
