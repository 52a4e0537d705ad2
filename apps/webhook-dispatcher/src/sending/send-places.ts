import { TenantShares } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';
import type { Receiver } from '../receiver/receiver.js';
import { SendRates } from './send-rates.js';
import { SLOW_MS } from './slow-lane.js';
import { Targets } from './targets.js';

/**
 * Deliveries that wait for a place of this process, beyond which no more events are begun: a process that has all it can do
 * leaves the rest in the stream. Less than the places serve in LONGEST_WAIT_MS.
 */
const WAITING_BEFORE_PAUSE = 256;
/** Deliveries of one tenant that wait; more are written down, so that the events of other tenants get their turn. */
const WAITING_PER_TENANT = 128;
/** Milliseconds that a delivery waits for a place of this process before it is written down. */
const LONGEST_WAIT_MS = SLOW_MS;
/** The same where the receiver has as many attempts under way as it may, or is paused. */
const LONGEST_WAIT_FOR_RECEIVER_MS = 250;

interface Waiter {
  readonly receiver: Receiver;
  /** Whether its receiver is what it waits for. */
  readonly isForReceiver: boolean;
  readonly begin: (hasPlace: boolean) => void;
}

/**
 * The places in which deliveries are sent as soon as their event comes. Who finds none waits a moment for one, those of a
 * receiver in order, the receivers in turn.
 */
@Injectable()
export class SendPlaces {
  private readonly shares: TenantShares;
  /** Those who wait, by subscription; the one whose turn is next comes first. */
  private readonly lines = new Map<string, Waiter[]>();
  private readonly waitingOf = new Map<string, number>();
  /** Those who do not wait for their receiver. */
  private waitingForPlace = 0;
  private paused: (() => void)[] = [];

  constructor(
    private readonly targets: Targets,
    rates: SendRates,
    @Inject(WEBHOOK_CONFIG) { delivery }: Pick<WebhookConfig, 'delivery'>,
  ) {
    this.shares = new TenantShares(delivery.concurrency);
    rates.onTurn(() => this.serve());
  }

  /** Whether there is a place for the receiver now; then it is taken. */
  tryTake(receiver: Receiver): boolean {
    const { tenantId } = receiver;
    if (!this.shares.mayBegin(tenantId) || !this.targets.mayBegin(receiver, Date.now())) return false;
    this.shares.begun(tenantId);
    this.targets.begun(receiver);
    return true;
  }

  /**
   * Takes a place, when one is free within a moment.
   * @returns whether it is taken
   */
  async take(receiver: Receiver): Promise<boolean> {
    const { tenantId, subscriptionId } = receiver;
    const line = this.lines.get(subscriptionId);
    if (!line && this.tryTake(receiver)) return true;
    const ofTenant = this.waitingOf.get(tenantId) ?? 0;
    if (ofTenant >= WAITING_PER_TENANT) return false;
    return new Promise<boolean>((resolve) => {
      const isForReceiver = !this.targets.mayBegin(receiver, Date.now());
      const longestMs = isForReceiver ? LONGEST_WAIT_FOR_RECEIVER_MS : LONGEST_WAIT_MS;
      const timer = setTimeout(() => this.leave(waiter, false), longestMs);
      const waiter: Waiter = {
        receiver,
        isForReceiver,
        begin: (hasPlace) => {
          clearTimeout(timer);
          resolve(hasPlace);
        },
      };
      if (line) line.push(waiter);
      else this.lines.set(subscriptionId, [waiter]);
      this.waitingOf.set(tenantId, ofTenant + 1);
      if (!isForReceiver) this.waitingForPlace += 1;
    });
  }

  /** Gives a place back. The receiver's own share is given back through `Targets`, before. */
  free(tenantId: string): void {
    this.shares.ended(tenantId);
    this.serve();
  }

  /** Resolves when few enough wait for another event to begin. */
  async room(): Promise<void> {
    while (this.waitingForPlace >= WAITING_BEFORE_PAUSE) {
      await new Promise<void>((resolve) => {
        this.paused.push(resolve);
      });
    }
  }

  private serve(): void {
    for (const [subscriptionId, line] of this.lines) {
      if (this.shares.free === 0) return;
      const [first] = line;
      if (!first || !this.tryTake(first.receiver)) continue;
      this.leave(first, true);
      // Behind the others.
      if (line.length === 0 || !this.lines.delete(subscriptionId)) continue;
      this.lines.set(subscriptionId, line);
    }
  }

  private leave(waiter: Waiter, hasPlace: boolean): void {
    const { tenantId, subscriptionId } = waiter.receiver;
    const line = this.lines.get(subscriptionId) ?? [];
    line.splice(line.indexOf(waiter), 1);
    if (line.length === 0) this.lines.delete(subscriptionId);
    const ofTenant = (this.waitingOf.get(tenantId) ?? 0) - 1;
    if (ofTenant > 0) this.waitingOf.set(tenantId, ofTenant);
    else this.waitingOf.delete(tenantId);
    if (!waiter.isForReceiver) this.waitingForPlace -= 1;
    if (this.waitingForPlace < WAITING_BEFORE_PAUSE) for (const go of this.paused.splice(0)) go();
    waiter.begin(hasPlace);
  }
}
