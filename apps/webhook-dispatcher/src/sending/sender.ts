import { OutsideClient } from '@crm/egress';
import { startSpan, within } from '@crm/telemetry';
import { Injectable } from '@nestjs/common';
import { type AttemptOutcome, EXCERPT_BYTES, outcomeOfError, outcomeOfResponse } from '../delivery/attempt-outcome.js';
import type { Receiver } from '../receiver/receiver.js';
import { SubscriptionQueueSignal } from '../subscription-queue/subscription-queue.signal.js';
import { describeAttempt, noteOutcome } from './attempt-span.js';
import { deliveryHeaders } from './delivery-headers.js';
import type { Message } from './message.js';
import { sendingMetrics } from './sending-metrics.js';
import { SLOW_MS, SlowLane } from './slow-lane.js';
import { Targets } from './targets.js';

/** Makes attempts. Who calls it has a place for it, and has told `Targets` that it begins. */
@Injectable()
export class Sender {
  constructor(
    private readonly outside: OutsideClient,
    private readonly targets: Targets,
    private readonly slowLane: SlowLane,
    private readonly signal: SubscriptionQueueSignal,
  ) {}

  /**
   * Makes one attempt, and tells `Targets` how it ends.
   * @param onSlow called when the attempt moves to the slow lane, where it needs no place
   * @throws what is no outcome: a defect of this service
   */
  async attempt(receiver: Receiver, message: Message, onSlow: () => void): Promise<AttemptOutcome> {
    const { tenantId } = receiver;
    let isSlow = false;
    let outcome: AttemptOutcome | null = null;
    const timer = setTimeout(() => {
      isSlow = this.slowLane.enter(tenantId);
      if (!isSlow) return;
      sendingMetrics.slow.inc();
      this.targets.becameSlow(receiver);
      onSlow();
    }, SLOW_MS);
    try {
      outcome = await this.send(receiver, message);
      return outcome;
    } finally {
      clearTimeout(timer);
      const wasFull = this.targets.isFull(receiver, Date.now());
      this.targets.ended(receiver, outcome, isSlow, Date.now());
      // What waits for this receiver was left out of the last look.
      if (wasFull) this.signal.signal();
      if (isSlow) {
        this.slowLane.leave(tenantId);
        sendingMetrics.slow.dec();
      }
      sendingMetrics.attempts.inc({ outcome: outcome === null ? 'defect' : (outcome.error?.code ?? 'delivered') });
      if (outcome) sendingMetrics.seconds.observe(outcome.latencyMs / 1000);
    }
  }

  /**
   * Makes one attempt that is no delivery's: nobody else learns how it ends.
   * @throws what is no outcome: a defect of this service
   */
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
