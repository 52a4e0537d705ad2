import { EgressError, type EgressResponse, OutsideClient, readRetryAfter } from '@crm/egress';
import { counter, gauge, histogram, runInSpan, type Span, type SpanDescription, startSpan } from '@crm/telemetry';
import { Injectable } from '@nestjs/common';
import { SubscriptionQueueSignal } from '../queue/queue-signals.js';
import { type AttemptErrorCode, type AttemptOutcome, type Receiver, UNREADABLE } from '../receivers/receiver.js';
import { ReceiverLimits } from '../receivers/receiver-limits.js';
import { SLOW_MS, SlowAttempts } from './attempt-slots.js';

/** Seconds, up to an event that has waited out an outage. */
const DELAY_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800];

export const deliveryMetrics = {
  attempts: counter(
    'webhook_attempts_total',
    'Delivery attempts by outcome: delivered, an error code of the receiver or the way to it, or defect, which is ours',
    ['outcome'],
  ),
  seconds: histogram('webhook_attempt_seconds', 'Duration of delivery attempts'),
  slow: gauge('webhook_slow_attempts', 'Attempts that have taken over a second and are under way'),
  firstAttemptDelay: histogram(
    'webhook_first_attempt_delay_seconds',
    'From the moment in the id of an event to the beginning of the first attempt: direct, or due, when there was no place at once or the receiver was slow, limited, or its deliveries were held',
    ['lane'],
    DELAY_BUCKETS,
  ),
};

export interface Message {
  readonly eventId: string;
  readonly body: string;
  /** The record of an event that is no longer sent once its record is erased. */
  readonly recordId?: string | undefined;
  /** Parent of the spans of its attempts; receivers do not get it. */
  readonly traceparent?: string | undefined;
}

/** @param at when the attempt is made; the signature is valid for some minutes from then */
export function deliveryHeaders(
  { headers, signer }: Pick<Receiver, 'headers' | 'signer'>,
  { eventId, body }: Message,
  at: Date,
): Record<string, string> {
  return {
    // The platform's come last, so that they win.
    ...headers,
    'content-type': 'application/json',
    ...signer.headers(eventId, Math.floor(at.getTime() / 1000), body),
  };
}

/** Without the URL, which is private to the tenant and may contain a secret. */
const describeAttempt = (eventId: string): SpanDescription => ({
  name: 'POST',
  kind: 'client',
  attributes: { 'http.request.method': 'POST', 'messaging.message.id': eventId },
});

function noteOutcome(span: Span, { httpStatus, error }: AttemptOutcome): void {
  if (httpStatus !== null) span.set('http.response.status_code', httpStatus);
  if (error) span.fail(error.code);
}

/** The caller has a slot for each attempt, and has told `ReceiverLimits` that it begins. */
@Injectable()
export class Sender {
  constructor(
    private readonly outside: OutsideClient,
    private readonly limits: ReceiverLimits,
    private readonly slowAttempts: SlowAttempts,
    private readonly signal: SubscriptionQueueSignal,
  ) {}

  /** Throws what is no outcome: a defect of this service. @param onSlow called when the attempt no longer needs its slot */
  async attempt(receiver: Receiver, message: Message, onSlow: () => void): Promise<AttemptOutcome> {
    const { tenantId } = receiver;
    let isSlow = false;
    let outcome: AttemptOutcome | null = null;
    const timer = setTimeout(() => {
      isSlow = this.slowAttempts.tryAcquire(tenantId);
      if (!isSlow) return;
      deliveryMetrics.slow.inc();
      this.freeing(receiver, () => this.limits.becameSlow(receiver));
      onSlow();
    }, SLOW_MS);
    try {
      outcome = await this.send(receiver, message);
      return outcome;
    } finally {
      clearTimeout(timer);
      this.freeing(receiver, () => this.limits.ended(receiver, outcome, isSlow, performance.now()));
      if (isSlow) {
        this.slowAttempts.release(tenantId);
        deliveryMetrics.slow.dec();
      }
      deliveryMetrics.attempts.inc({ outcome: outcome === null ? 'defect' : (outcome.error?.code ?? 'delivered') });
      if (outcome) deliveryMetrics.seconds.observe(outcome.latencyMs / 1000);
    }
  }

  /** Deliveries that had no slot were left out of the last look. */
  private freeing(receiver: Receiver, free: () => void): void {
    const wasFull = this.limits.isFull(receiver, performance.now());
    free();
    if (wasFull) this.signal.signal();
  }

  /** Outside the pipeline: limits and metrics do not see it. */
  async send(receiver: Receiver, message: Message): Promise<AttemptOutcome> {
    const span = startSpan(message.traceparent, describeAttempt, message.eventId);
    if (!span) return this.exchange(receiver, message);
    return runInSpan(span, async () => {
      const outcome = await this.exchange(receiver, message);
      noteOutcome(span, outcome);
      return outcome;
    });
  }

  private async exchange(receiver: Receiver, message: Message): Promise<AttemptOutcome> {
    const at = new Date();
    if (receiver.isUnreadable) return outcomeOfUnreadable(at);
    const started = performance.now();
    try {
      const response = await this.outside.request({
        method: 'POST',
        url: receiver.url,
        headers: deliveryHeaders(receiver, message, at),
        body: message.body,
        maxResponseBytes: EXCERPT_BYTES,
        truncate: true,
      });
      return outcomeOfResponse(at, response);
    } catch (error) {
      return outcomeOfError(at, performance.now() - started, error);
    }
  }
}

/** Bytes of a response that are stored for administrators. */
const EXCERPT_BYTES = 4_096;

/** Any 2xx is a success. Redirects are failures, because they could lead from a checked address to an unchecked one. */
function outcomeOfResponse(at: Date, response: EgressResponse): AttemptOutcome {
  const { status } = response;
  const isAccepted = status >= 200 && status < 300;
  return {
    at,
    latencyMs: Math.round(response.latencyMs),
    httpStatus: status,
    error: isAccepted ? null : { code: codeOf(status), message: `The endpoint returned ${status}` },
    responseExcerpt: excerpt(response.body),
    retryAfterMs: isAccepted ? null : readRetryAfter(response.headers['retry-after'], at.getTime()),
  };
}

/** @throws the error itself when it is not an EgressError: a defect of this service is not an outcome */
function outcomeOfError(at: Date, latencyMs: number, error: unknown): AttemptOutcome {
  if (!(error instanceof EgressError)) throw error;
  return {
    at,
    latencyMs: Math.round(latencyMs),
    httpStatus: null,
    error: { code: error.code, message: error.message, phase: error.phase },
    responseExcerpt: null,
    retryAfterMs: null,
  };
}

const outcomeOfUnreadable = (at: Date): AttemptOutcome => ({
  at,
  latencyMs: 0,
  httpStatus: null,
  error: {
    code: UNREADABLE,
    message: "We couldn't read this endpoint's secret or headers. Our operators have been notified",
  },
  responseExcerpt: null,
  retryAfterMs: null,
});

function codeOf(status: number): AttemptErrorCode {
  if (status >= 300 && status < 400) return 'redirect';
  if (status >= 400 && status < 500) return 'http_4xx';
  return status >= 500 ? 'http_5xx' : 'http_other';
}

/** The beginning of the response as text that Postgres can store. */
function excerpt(body: Buffer): string | null {
  const text = body.subarray(0, EXCERPT_BYTES).toString('utf8').replaceAll('\u0000', '\ufffd');
  return text === '' ? null : text;
}
