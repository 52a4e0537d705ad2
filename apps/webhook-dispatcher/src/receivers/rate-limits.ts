import { Database } from '@crm/database';
import { Injectable, Logger } from '@nestjs/common';
import { SubscriptionQueueSignal } from '../queue/queue-signals.js';
import { SubscriptionRepository } from '../subscriptions/subscription.repository.js';
import type { Receiver } from './receiver.js';

/** Milliseconds of sending that a process reserves at a time: a statement four times a second, for each such receiver. */
const RESERVED_MS = 250;
/** Milliseconds for which a turn may still be used; an attempt that is late by more has lost it. */
const KEPT_MS = 1_000;
/** Milliseconds until a process asks again that got no turns, because others have reserved those of the next second. */
const ASK_AGAIN_MS = 500;

type Target = Pick<Receiver, 'tenantId' | 'subscriptionId' | 'rateLimit'>;

/** The turns of a receiver that this process has reserved: moments from which one attempt each may begin. */
interface Turns {
  readonly target: Target;
  readonly gapMs: number;
  /** The moment of the next. */
  nextAt: number;
  left: number;
  reserving: boolean;
  /** Before then it is not worth asking for more. */
  askAt: number;
  /** Tells those who wait that the next turn has come. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * The rates that tenants set for their endpoints, kept by all processes together: each reserves turns in the database before
 * it uses them, so that no attempt costs a statement. What comes too fast waits; nothing is dropped.
 */
@Injectable()
export class RateLimits {
  private readonly logger = new Logger('RateLimits');
  private readonly turns = new Map<string, Turns>();
  private listener: () => void = () => undefined;

  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionRepository,
    private readonly signal: SubscriptionQueueSignal,
  ) {}

  /** @param listener called when a receiver for which there was no turn may have one */
  onTurn(listener: () => void): void {
    this.listener = listener;
  }

  /** How many attempts may begin now. When there are none, more are reserved and the listener is told. */
  room(target: Target, now: number): number {
    if (target.rateLimit === null) return Number.POSITIVE_INFINITY;
    const turns = this.turnsOf(target, target.rateLimit);
    const room = roomOf(turns, now);
    if (room === 0) this.await(turns, now);
    return room;
  }

  begun({ subscriptionId, rateLimit }: Target): void {
    const turns = this.turns.get(subscriptionId);
    // A test or a sample is sent without a turn.
    if (rateLimit === null || !turns || turns.left === 0) return;
    turns.left -= 1;
    turns.nextAt += turns.gapMs;
    // Whoever has used them up is likely to need more.
    if (turns.left === 0) this.reserve(turns, Date.now());
  }

  /** Subscriptions whose turns are counted here, with those that may be used now. Forgets those of which none are left. */
  narrowed(now: number): Map<string, number> {
    const rooms = new Map<string, number>();
    for (const [subscriptionId, turns] of this.turns) {
      const room = roomOf(turns, now);
      if (turns.left > 0 || turns.reserving || turns.askAt > now) rooms.set(subscriptionId, room);
      else this.forget(subscriptionId, turns);
    }
    return rooms;
  }

  /** When a receiver without a turn has one again, or may ask for more; null when there is none, or nothing is known to come. */
  nextOpening(now: number): number | null {
    const waiting = [...this.turns.values()].filter((turns) => roomOf(turns, now) === 0);
    const next = Math.min(...waiting.map(openingOf).filter((at) => at > now));
    return Number.isFinite(next) ? next : null;
  }

  private turnsOf(target: Target, rateLimit: number): Turns {
    const gapMs = 1_000 / rateLimit;
    const known = this.turns.get(target.subscriptionId);
    if (known?.gapMs === gapMs) return known;
    // Turns at the previous rate count no more.
    if (known) this.forget(target.subscriptionId, known);
    const turns: Turns = { target, gapMs, nextAt: 0, left: 0, reserving: false, askAt: 0, timer: undefined };
    this.turns.set(target.subscriptionId, turns);
    return turns;
  }

  private await(turns: Turns, now: number): void {
    if (turns.left === 0) this.reserve(turns, now);
    if (turns.timer || turns.reserving) return;
    turns.timer = setTimeout(() => this.tell(turns), Math.max(1, Math.ceil(openingOf(turns) - now)));
  }

  private reserve(turns: Turns, now: number): void {
    if (turns.reserving || turns.askAt > now) return;
    turns.reserving = true;
    this.ask(turns)
      .catch((error: unknown) => {
        turns.askAt = Date.now() + ASK_AGAIN_MS;
        const { subscriptionId } = turns.target;
        this.logger.warn({
          msg: 'The turns of a receiver with a rate could not be reserved',
          subscriptionId,
          err: error,
        });
      })
      .finally(() => {
        turns.reserving = false;
        this.tell(turns);
      });
  }

  private async ask(turns: Turns): Promise<void> {
    const { tenantId, subscriptionId } = turns.target;
    const count = Math.max(1, Math.round(RESERVED_MS / turns.gapMs));
    const beginsInMs = await this.database.transaction(tenantId, (tx) =>
      this.subscriptions.reservePermits(tx, subscriptionId, count * turns.gapMs),
    );
    const now = Date.now();
    if (beginsInMs === null) {
      turns.askAt = now + ASK_AGAIN_MS;
    } else {
      turns.nextAt = now + beginsInMs;
      turns.left = count;
    }
  }

  private tell(turns: Turns): void {
    clearTimeout(turns.timer);
    turns.timer = undefined;
    this.listener();
    this.signal.signal();
  }

  private forget(subscriptionId: string, turns: Turns): void {
    clearTimeout(turns.timer);
    this.turns.delete(subscriptionId);
  }
}

/** Lets turns go that are over, and counts those that have come. */
function roomOf(turns: Turns, now: number): number {
  const over = Math.min(turns.left, Math.max(0, Math.floor((now - KEPT_MS - turns.nextAt) / turns.gapMs)));
  turns.left -= over;
  turns.nextAt += over * turns.gapMs;
  if (turns.left === 0 || turns.nextAt > now) return 0;
  return Math.min(turns.left, Math.floor((now - turns.nextAt) / turns.gapMs) + 1);
}

const openingOf = ({ left, nextAt, reserving, askAt }: Turns): number => {
  if (left > 0) return nextAt;
  return reserving ? Number.POSITIVE_INFINITY : askAt;
};
