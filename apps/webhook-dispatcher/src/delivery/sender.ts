import { OutsideClient } from '@crm/egress';
import { type Span, type SpanDescription, startSpan, within } from '@crm/telemetry';
import { Injectable } from '@nestjs/common';
import { SubscriptionQueueSignal } from '../queue/queue-signals.js';
import { type AttemptOutcome, EXCERPT_BYTES, outcomeOfError, outcomeOfResponse } from '../receivers/attempt-outcome.js';
import type { Receiver } from '../receivers/receiver.js';
import { ReceiverLimits } from '../receivers/receiver-limits.js';
import { SLOW_MS, SlowAttempts } from './attempt-slots.js';
import { deliveryMetrics } from './delivery-metrics.js';

export interface Message {
  readonly eventId: string;
  readonly body: string;
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
      this.limits.becameSlow(receiver);
      onSlow();
    }, SLOW_MS);
    try {
      outcome = await this.send(receiver, message);
      return outcome;
    } finally {
      clearTimeout(timer);
      const wasFull = this.limits.isFull(receiver, Date.now());
      this.limits.ended(receiver, outcome, isSlow, Date.now());
      // Deliveries to this receiver were left out of the last look.
      if (wasFull) this.signal.signal();
      if (isSlow) {
        this.slowAttempts.release(tenantId);
        deliveryMetrics.slow.dec();
      }
      deliveryMetrics.attempts.inc({ outcome: outcome === null ? 'defect' : (outcome.error?.code ?? 'delivered') });
      if (outcome) deliveryMetrics.seconds.observe(outcome.latencyMs / 1000);
    }
  }

  /** Outside the pipeline: limits and metrics do not see it. */
  async send(receiver: Receiver, message: Message): Promise<AttemptOutcome> {
    const span = startSpan(message.traceparent, describeAttempt, message.eventId);
    if (!span) return this.exchange(receiver, message);
    return within(span, async () => {
      const outcome = await this.exchange(receiver, message);
      noteOutcome(span, outcome);
      return outcome;
    });
  }

  private async exchange(receiver: Receiver, message: Message): Promise<AttemptOutcome> {
    const at = new Date();
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
