import { ApiProblem, noAnswer, problemOf, type TokenSource } from '@crm/api-client';

/** What every way of signing in ends with. */
export interface SignedIn {
  readonly accessToken: string;
  /** Seconds. */
  readonly expiresIn?: number;
  /** A sign-in that answers it to the page brings it; it is spent at once, and its successor is in a cookie that no script reads. */
  readonly refreshToken?: string;
}

export type SessionState =
  /** Nobody has said yet whether someone is signed in. */
  | 'starting'
  | 'active'
  /** Nobody is signed in. */
  | 'none'
  /** It has ended by itself, and `holder` is whose it was. */
  | 'ended'
  /** The API could not be asked; `problem` says why. */
  | 'unknown';

/** There is no token to be had: someone has to sign in. */
export class NotSignedIn extends ApiProblem {
  constructor() {
    super('UNAUTHENTICATED', 401, 'Nobody is signed in');
  }
}

const PATH = '/api/auth/session';
/** The name of the lock and of the channel that windows share. */
const NAME = 'crm-session';
/** How long before its end a token is renewed, in milliseconds. */
const RENEW_BEFORE_MS = 60_000;
/** When a renewal that failed is tried again, the last repeatedly: soon, as the API gives a lost answer again for a minute only. */
const TRY_AGAIN_MS = [2_000, 5_000, 15_000] as const;
const DEFAULT_LIFE_S = 900;
/** How long a call of the cookie may take; and how long a window waits for its turn, should the one before it be asleep. */
const ANSWER_MS = 10_000;
const TURN_MS = ANSWER_MS + 5_000;

type Message = { readonly kind: 'renewed'; readonly tokens: SignedIn } | { readonly kind: 'ended' };

/** What the session needs of the browser; replaced in tests. */
export interface Surroundings {
  readonly locks?: Pick<LockManager, 'request'>;
  readonly channel: Pick<BroadcastChannel, 'postMessage'> & { onmessage: ((event: MessageEvent) => void) | null };
}

/** A call of the session's cookie. The header is what no page of another origin can send. */
async function call<Answer>(method: 'POST' | 'DELETE', path: string, body?: object): Promise<Answer> {
  const response = await fetch(path, {
    method,
    signal: abortedAfter(ANSWER_MS).signal,
    credentials: 'same-origin',
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
    headers: { 'x-requested-with': 'crm-page', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  }).catch(noAnswer);
  if (!response.ok) throw await problemOf(response);
  // What is no JSON comes from something between the page and the API.
  return response.status === 204 ? (undefined as Answer) : await response.json().catch(noAnswer);
}

/** Unlike `AbortSignal.timeout`, it can be called off. */
function abortedAfter(milliseconds: number): { readonly signal: AbortSignal; readonly callOff: () => void } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), milliseconds);
  return { signal: controller.signal, callOff: () => clearTimeout(timer) };
}

/**
 * The session of this browser: the access token in memory only, the refresh token in a cookie that scripts cannot read. It is
 * renewed before it ends and when the API refuses it; windows take turns, and the one whose turn comes later takes what another
 * one has got.
 */
export class Session implements TokenSource {
  state: SessionState = 'starting';
  /** Why it is unknown. */
  problem: unknown;
  private token: string | undefined;
  private who: string | undefined;
  private renewing: Promise<void> | undefined;
  /** Renewals in a row that were not answered. */
  private missed = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly listeners = new Set<() => void>();
  private shown: Readonly<Pick<Session, 'state' | 'problem' | 'holder'>> = {
    state: 'starting',
    problem: undefined,
    holder: undefined,
  };

  constructor(private readonly browser: Surroundings) {
    browser.channel.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data.kind === 'renewed') this.take(data.tokens);
      else this.lose('none');
    };
  }

  static ofBrowser(): Session {
    return new Session({ locks: navigator.locks, channel: new BroadcastChannel(NAME) });
  }

  /** Workspace and user of the token, or of the last one of a session that has ended by itself. */
  get holder(): string | undefined {
    return this.who;
  }

  /** @returns ends it */
  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** The same object until something of it changes. */
  snapshot = () => this.shown;

  /** Asks whether someone is signed in, once. Never rejects. */
  start(): Promise<void> {
    return this.state === 'starting' || this.state === 'unknown' ? this.renew() : Promise.resolve();
  }

  async current(): Promise<string> {
    if (this.token === undefined) await this.start();
    return this.given();
  }

  async replacementFor(refused: string): Promise<string> {
    if (this.token === refused) await this.renew(refused);
    const token = this.given();
    // What someone has begun is not done in the name of anyone who has signed in meanwhile.
    if (holderOf(token) !== holderOf(refused)) throw new NotSignedIn();
    return token;
  }

  /** The same tokens for one holder alone: what someone has begun does not go on in the name of anyone who signs in meanwhile. */
  boundTo(holder: string | undefined): TokenSource {
    const own = (token: string): string => {
      if (holder !== undefined && holderOf(token) !== holder) throw new NotSignedIn();
      return token;
    };
    return {
      current: async () => own(await this.current()),
      replacementFor: async (refused) => own(await this.replacementFor(refused)),
    };
  }

  /** Begins the session of someone who has just signed in, in every window. */
  async begin(tokens: SignedIn): Promise<void> {
    const { refreshToken } = tokens;
    this.announce(
      refreshToken === undefined ? tokens : await call<SignedIn>('POST', `${PATH}/refresh`, { refreshToken }),
    );
  }

  /** Signs out, in every window. Without an answer of the API the cookie would be left, so that nothing is said to have ended. */
  async end(): Promise<void> {
    await call('DELETE', PATH);
    this.browser.channel.postMessage({ kind: 'ended' } satisfies Message);
    this.lose('none');
  }

  private given(): string {
    if (this.token === undefined) throw this.state === 'unknown' ? this.problem : new NotSignedIn();
    return this.token;
  }

  /** @param refused the token that is no good any more; undefined where there is none */
  private renew(refused?: string): Promise<void> {
    this.renewing ??= this.inTurn(async () => {
      // Another window has been faster.
      if (this.token !== undefined && this.token !== refused) return;
      await this.ask();
    }).finally(() => {
      this.renewing = undefined;
    });
    return this.renewing;
  }

  private async ask(): Promise<void> {
    try {
      const tokens = await call<SignedIn | undefined>('POST', `${PATH}/refresh`, {});
      if (tokens) this.announce(tokens);
      else this.lose(this.state === 'active' ? 'ended' : 'none');
    } catch (problem) {
      if (!(problem instanceof ApiProblem)) throw problem;
      if (!problem.isTemporary) this.lose(this.token === undefined ? 'none' : 'ended');
      // One that is still valid is used to its end.
      else if (this.token === undefined) this.become('unknown', problem);
      else this.renewIn(TRY_AGAIN_MS[Math.min(this.missed++, TRY_AGAIN_MS.length - 1)]!);
    }
  }

  private async inTurn(act: () => Promise<void>): Promise<void> {
    const { locks } = this.browser;
    // Without https there are no locks; the API gives windows that ask at the same time the same answer.
    if (!locks) return act();
    const { signal, callOff } = abortedAfter(TURN_MS);
    const granted = async () => {
      callOff();
      await act();
    };
    return locks.request(NAME, { signal }, granted).catch((problem: unknown) => {
      if (signal.aborted) return act();
      throw problem;
    });
  }

  private announce(tokens: SignedIn): void {
    this.take(tokens);
    const { accessToken, expiresIn } = tokens;
    this.browser.channel.postMessage({ kind: 'renewed', tokens: { accessToken, expiresIn } } satisfies Message);
  }

  private take({ accessToken, expiresIn = DEFAULT_LIFE_S }: SignedIn): void {
    this.token = accessToken;
    this.missed = 0;
    this.who = holderOf(accessToken);
    this.renewIn(Math.max(expiresIn * 1000 - RENEW_BEFORE_MS, (expiresIn * 1000) / 2));
    this.become('active');
  }

  private renewIn(milliseconds: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.renew(this.token), milliseconds);
  }

  private lose(state: 'none' | 'ended'): void {
    clearTimeout(this.timer);
    this.token = undefined;
    if (state === 'none') this.who = undefined;
    this.become(state);
  }

  private become(state: SessionState, problem?: unknown): void {
    this.state = state;
    this.problem = problem;
    const { shown, who: holder } = this;
    if (shown.state === state && shown.problem === problem && shown.holder === holder) return;
    this.shown = { state, problem, holder };
    for (const listener of this.listeners) listener();
  }
}

/** Whose token it is: workspace and user. Its signature is the API's business. */
function holderOf(token: string): string {
  try {
    const [, payload = ''] = token.split('.');
    const { tid, sub } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    return `${tid}/${sub}`;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof DOMException) return token;
    throw error;
  }
}
