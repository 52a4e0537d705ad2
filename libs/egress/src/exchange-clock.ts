import { EgressError, type EgressErrorCode } from './errors.js';

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
