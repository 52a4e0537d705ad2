import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Connection } from './connections.js';
import { classifyExchangeError, EgressError, type EgressErrorCode } from './errors.js';

export interface Timeouts {
  /** Lookup, TCP and TLS. */
  connectMs: number;
  /** From the first byte sent to the last header received. */
  headersMs: number;
  /** From the last header to the last byte of the body. */
  bodyMs: number;
  totalMs: number;
}

export type ExchangePhase = 'opening' | 'headers' | 'body';

const LIMIT_OF: Record<ExchangePhase, keyof Timeouts> = { opening: 'connectMs', headers: 'headersMs', body: 'bodyMs' };

const TIMEOUT_OF: Record<ExchangePhase, [EgressErrorCode, string]> = {
  opening: ['timeout_connect', 'The connection could not be opened in time'],
  headers: ['timeout_headers', 'The host did not start to respond in time'],
  body: ['timeout_body', 'The body of the response did not arrive in time'],
};

/**
 * The time limits of one exchange, with one timer. A phase that ends later than the timer only notes its end; the timer goes
 * on for the rest when it comes too early, which it does for the few calls that take seconds.
 */
export class ExchangeClock {
  phase: ExchangePhase = 'opening';
  private readonly totalEnd: number;
  private phaseEnd = 0;
  private timer: NodeJS.Timeout | undefined;
  private timerEnd = Number.POSITIVE_INFINITY;

  /** @param owner told when a limit is reached, once */
  constructor(
    private readonly timeouts: Timeouts,
    private readonly owner: { onTimeout(error: EgressError): void },
  ) {
    const now = performance.now();
    this.totalEnd = now + timeouts.totalMs;
    this.limit(now, now + timeouts.connectMs);
  }

  enter(phase: ExchangePhase): void {
    const now = performance.now();
    this.phase = phase;
    this.limit(now, now + this.timeouts[LIMIT_OF[phase]]);
  }

  /** Leaves the phase at most this many milliseconds more. */
  shorten(ms: number): void {
    const now = performance.now();
    this.limit(now, Math.min(this.phaseEnd, now + ms));
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private limit(now: number, phaseEnd: number): void {
    this.phaseEnd = phaseEnd;
    const end = Math.min(phaseEnd, this.totalEnd);
    if (end < this.timerEnd) this.start(now, end);
  }

  private start(now: number, end: number): void {
    clearTimeout(this.timer);
    this.timerEnd = end;
    this.timer = setTimeout(onTimer, Math.ceil(end - now), this);
  }

  check(): void {
    const now = performance.now();
    const end = Math.min(this.phaseEnd, this.totalEnd);
    if (now < end) this.start(now, end);
    else if (this.totalEnd <= this.phaseEnd) {
      this.owner.onTimeout(new EgressError('timeout_total', 'The call took too long'));
    } else {
      this.owner.onTimeout(new EgressError(...TIMEOUT_OF[this.phase]));
    }
  }
}

function onTimer(clock: ExchangeClock): void {
  clock.check();
}

/**
 * Headers that describe the connection or the framing and are therefore set by the client alone (RFC 9110 7.6.1,
 * RFC 9112). A caller's `host` would defeat the check of the URL, `accept-encoding` the rule against decompression.
 */
const CLIENT_HEADERS = new Set([
  ...['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'upgrade', 'expect', 'te', 'trailer'],
  ...['proxy-connection', 'proxy-authorization', 'proxy-authenticate', 'accept-encoding'],
]);

/** Returns whether only the client sets a header, so that one of the caller is left out. @param name in lower case */
export const isClientHeader = (name: string): boolean => CLIENT_HEADERS.has(name);

/** Names and values from the caller: an object, or a list in which they alternate, for callers that send many requests. */
export type RequestHeaders = Readonly<Record<string, string>> | readonly string[];

/**
 * The headers to send, as a list in which names and values alternate: names in lower case, each once (the last value
 * counts), without those that only the client may set.
 * @param userAgent used unless the caller sets one
 * @throws TypeError when a list has a name without a value
 */
export function outgoingHeaders(headers: RequestHeaders, userAgent: string): string[] {
  const list = ['accept-encoding', 'identity', 'user-agent', userAgent];
  if (isList(headers)) {
    if (headers.length % 2 !== 0) throw new TypeError('A list of headers has a name without a value');
    for (let at = 0; at < headers.length; at += 2) set(list, headers[at]!, headers[at + 1]!);
  } else {
    for (const name of Object.keys(headers)) set(list, name, headers[name]!);
  }
  return list;
}

function isList(headers: RequestHeaders): headers is readonly string[] {
  return Array.isArray(headers);
}

function set(list: string[], name: string, value: string): void {
  const lower = name.toLowerCase();
  if (CLIENT_HEADERS.has(lower)) return;
  for (let at = 0; at < list.length; at += 2) {
    if (list[at] === lower) {
      list[at + 1] = value;
      return;
    }
  }
  list.push(lower, value);
}

const EMPTY = Buffer.alloc(0);

class ResponseBody {
  /** Bytes that arrived, those beyond the limit included. */
  received = 0;
  private readonly chunks: Buffer[] = [];

  constructor(private readonly limit: number) {}

  /** Keeps as much of the chunk as fits. */
  add(chunk: Buffer): void {
    const remaining = this.limit - this.received;
    this.received += chunk.length;
    if (chunk.length <= remaining) this.chunks.push(chunk);
    // A copy, because a part would hold the whole chunk in memory, up to 16 KiB.
    else if (remaining > 0) this.chunks.push(Buffer.from(chunk.subarray(0, remaining)));
  }

  toBuffer(): Buffer {
    const [first, ...rest] = this.chunks;
    if (first === undefined) return EMPTY;
    // Most responses are one chunk.
    return rest.length === 0 ? first : Buffer.concat(this.chunks);
  }
}

interface OutgoingRequest {
  method: Dispatcher.HttpMethod;
  path: string;
  /** Names and values alternate. */
  headers: string[];
  body: string | Buffer | undefined;
}

interface ExchangeLimits {
  timeouts: Timeouts;
  maxResponseBytes: number;
  /** True when a longer body is truncated instead of being an error. */
  truncate: boolean;
}

interface ExchangeResult {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  truncated: boolean;
  /** When the last byte of `body` arrived, in milliseconds of `performance.now()`. */
  completeAt: number;
  reusable: boolean;
}

/**
 * Bytes beyond the excerpt that are read and thrown away, so that the connection can be used again. A new one costs both
 * sides about a millisecond of processor time, for which 64 KiB are received; error pages rarely are longer.
 */
const DRAIN_BYTES = 64 * 1024;

/** Milliseconds for that. A new connection takes a few round trips, so waiting longer than this gains nothing. */
const DRAIN_MS = 1_000;

/**
 * Sends one request on a connection and reads the response within the limits.
 * @throws EgressError (rejects); the connection must then be destroyed
 */
export function exchange(
  connection: Connection,
  request: OutgoingRequest,
  limits: ExchangeLimits,
): Promise<ExchangeResult> {
  return new Promise((resolve, reject) => {
    connection.client.dispatch(request, new Exchange(connection, request.method, limits, resolve, reject));
  });
}

class Exchange implements Dispatcher.DispatchHandler {
  private readonly clock: ExchangeClock;
  private readonly body: ResponseBody;
  private controller: Dispatcher.DispatchController | undefined;
  private settled = false;
  private status = 0;
  private headers: IncomingHttpHeaders = {};
  /** The length that the response announces; NaN when it does not. */
  private announced = Number.NaN;
  /** When the excerpt was complete; set while the rest is drained. */
  private excerptAt: number | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly method: string,
    private readonly limits: ExchangeLimits,
    private readonly resolve: (result: ExchangeResult) => void,
    private readonly reject: (error: EgressError) => void,
  ) {
    this.body = new ResponseBody(limits.maxResponseBytes);
    this.clock = new ExchangeClock(limits.timeouts, this);
  }

  onTimeout(error: EgressError): void {
    this.fail(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.settled) controller.abort(new EgressError('reset', 'The call was cancelled'));
    else this.clock.enter('headers');
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // Interim responses such as 103 do not stop the clock: a host could send them forever.
    if (this.settled || status < 200) return;
    this.status = status;
    this.headers = headers;
    this.clock.enter('body');
    if (this.method === 'HEAD') return;
    this.announced = Number(headers['content-length']);
    if (this.announced > this.limits.maxResponseBytes && !this.limits.truncate) this.fail(this.tooLarge());
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.settled) return;
    this.body.add(chunk);
    const excess = this.body.received - this.limits.maxResponseBytes;
    if (excess <= 0) return;
    if (!this.limits.truncate) {
      this.fail(this.tooLarge());
      return;
    }
    if (this.excerptAt === undefined) {
      this.excerptAt = performance.now();
      this.clock.shorten(DRAIN_MS);
    }
    if (excess > DRAIN_BYTES || this.announced - this.limits.maxResponseBytes > DRAIN_BYTES) this.succeed(false);
  }

  onResponseEnd(): void {
    if (!this.settled) this.succeed(true);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(classifyExchangeError(error));
  }

  /** Ends the exchange without a response; while the rest of a body is drained, with what there is. */
  private fail(error: EgressError): void {
    if (this.settled) return;
    if (this.excerptAt !== undefined) {
      this.succeed(false);
      return;
    }
    this.settle();
    error.phase = this.clock.phase === 'opening' ? this.connection.phase : this.clock.phase;
    this.controller?.abort(error);
    this.reject(error);
  }

  private succeed(reusable: boolean): void {
    this.settle();
    this.resolve({
      status: this.status,
      headers: this.headers,
      body: this.body.toBuffer(),
      truncated: this.excerptAt !== undefined,
      completeAt: this.excerptAt ?? performance.now(),
      reusable,
    });
    if (!reusable) this.controller?.abort(this.tooLarge());
  }

  private settle(): void {
    this.settled = true;
    this.clock.stop();
  }

  private tooLarge(): EgressError {
    return new EgressError(
      'too_large',
      `The body of the response is larger than ${this.limits.maxResponseBytes} bytes`,
    );
  }
}
