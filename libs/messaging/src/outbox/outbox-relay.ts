import {
  countDeadLetters,
  type Database,
  NarrowSession,
  OUTBOX_CONSUMER,
  Outbox,
  type OutboxEvent,
  retentionOf,
  type StreamPosition,
  Wake,
} from '@crm/database';
import { Logger } from '@nestjs/common';
import { metrics, outboxMetrics } from '../metrics.js';
import type { NatsConnection } from '../nats-connection.js';
import { type EventOutcome, EventPublisher } from './event-publisher.js';
import { OutboxWakeUp } from './outbox-wake-up.js';
import { isRefusal, RefusedEvents } from './refused-events.js';
import { StreamWatch } from './stream-watch.js';

/** Advisory lock of the active relay; advisory locks belong to a database, so one number works for all services. */
const RELAY_LOCK = 47_152_013;

export interface OutboxRelayOptions {
  /** Milliseconds between claims while events keep coming; the first after a pause is not delayed. Default 20. */
  gatherMs?: number;
  /** Milliseconds between polls, for lost signals and writers without a relay; default 200. */
  pollMs?: number;
  /** The same after `quietMs` without an event; default 2,000. */
  idlePollMs?: number;
  /** Milliseconds without an event after which the outbox is polled less often; default 60,000. */
  quietMs?: number;
  /** Milliseconds between attempts of a standby relay to become active; default 1,000. */
  standbyMs?: number;
  /** Milliseconds to wait after a failure; default 1,000. */
  retryMs?: number;
  /** Seconds until the database ends the session of a vanished host; longer than the 5 s for acknowledgements. Default 20. */
  silenceSeconds?: number;
  /** Events read, published and marked together; default 256. */
  batchSize?: number;
  /**
   * Milliseconds before each further try of a refused event, then a dead letter. Default 1, 2, 4, 8 and 16 s: that
   * outlasts a reload of the broker's configuration or a release in which a service is ahead of it.
   */
  refusedDelaysMs?: readonly number[];
  /** Milliseconds between looks whether the stream still has what was published; default 20,000. */
  lookMs?: number;
}

const DEFAULTS: Required<OutboxRelayOptions> = {
  gatherMs: 20,
  pollMs: 200,
  idlePollMs: 2_000,
  quietMs: 60_000,
  standbyMs: 1_000,
  retryMs: 1_000,
  silenceSeconds: 20,
  batchSize: 256,
  refusedDelaysMs: [1_000, 2_000, 4_000, 8_000, 16_000],
  lookMs: 20_000,
};

/** Most refused events that wait for another try. Each is one more gap in which a claim looks. */
const MAX_REFUSED = 256;

const MEASURE_MS = 5_000;
const NOTHING_WAITS = { waiting: 0, oldestSeconds: 0 };
const SETTLE_MS = 1_000;
/** Between counts of the dead letters, which operators replay in processes of their own, and removals of old marks. */
const COUNT_MS = 60_000;

/**
 * Publishes events in order, each at least once: marked only after the broker has acknowledged it. The active relay
 * holds an advisory lock on the connection by which it marks, so another takes over when that or its process dies.
 */
export class OutboxRelay {
  private readonly logger = new Logger('OutboxRelay');
  private readonly options: Required<OutboxRelayOptions>;
  private readonly publisher: EventPublisher;
  private readonly watch: StreamWatch;
  private readonly wakeUp: OutboxWakeUp;
  private readonly wake = new Wake();
  private active = false;
  private eventAt = 0;
  private running: Promise<void> | undefined;
  private stopped = false;
  private measuredAt = 0;
  private settledAt = 0;
  private countedAt = 0;

  constructor(
    private readonly database: Database,
    nats: NatsConnection,
    options: OutboxRelayOptions = {},
  ) {
    this.publisher = new EventPublisher(nats);
    this.options = { ...DEFAULTS, ...options };
    this.watch = new StreamWatch(nats, this.options.lookMs);
    this.wakeUp = new OutboxWakeUp(nats, this.options.gatherMs);
  }

  start(): void {
    outboxMetrics.active.set(0);
    this.database.outboxSignal.onSignal(() => (this.active ? this.wake.signal() : this.wakeUp.send()));
    this.running ??= this.runUntilStopped();
  }

  /** Finishes the current batch and releases the lock. Remaining events wait for the next relay. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.database.outboxSignal.onSignal(undefined);
    this.wake.signal();
    await this.running;
    this.publisher.close();
    this.watch.close();
    this.wakeUp.close();
  }

  private async runUntilStopped(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.runSession();
      } catch (error) {
        await this.pauseAfter('The database session of the relay failed', error);
      }
    }
  }

  private async runSession(): Promise<void> {
    let endWakeUps: (() => void) | undefined;
    const session = await NarrowSession.open(this.database.config, { silenceSeconds: this.options.silenceSeconds });
    try {
      while (!this.stopped && !(await session.tryLock(RELAY_LOCK))) await this.pause(this.options.standbyMs);
      if (this.stopped) return;
      outboxMetrics.active.set(1);
      this.active = true;
      this.eventAt = Date.now();
      endWakeUps = this.wakeUp.listen(() => this.wake.signal());
      this.watch.lookSoon();
      while (!this.stopped) {
        const outbox = await Outbox.open(session, this.database.config);
        try {
          await this.relay(outbox);
        } finally {
          await outbox.close();
        }
      }
    } finally {
      this.active = false;
      endWakeUps?.();
      outboxMetrics.active.set(0);
      // The next active relay measures them.
      outboxMetrics.waiting.remove();
      outboxMetrics.lag.remove();
      metrics.deadLettersWaiting.remove({ consumer: OUTBOX_CONSUMER });
      await session.close();
    }
  }

  /** Until it is stopped, or the stream has lost events and the outbox has to be opened again. */
  private async relay(outbox: Outbox): Promise<void> {
    const refused = new RefusedEvents({ delaysMs: this.options.refusedDelaysMs, limit: MAX_REFUSED });
    this.countedAt = 0;
    while (!this.stopped) {
      if (await this.watch.tookBack(outbox)) return;
      const claimedAt = Date.now();
      const due = refused.due(claimedAt, this.options.batchSize);
      if (due.length > 0) await this.publishBatch(outbox, refused, await outbox.claimPostponed(due));
      const batch = refused.isFull ? [] : await outbox.claimBatch(this.options.batchSize);
      if (batch.length > 0) await this.publishBatch(outbox, refused, batch);
      if (batch.length > 0) this.eventAt = Date.now();
      // Then nothing but refused events waits.
      await this.maintain(outbox, batch.length > 0 || refused.size > 0);
      if (batch.length === 0) await this.wake.wait(this.idleMs(refused));
      else if (batch.length < this.options.batchSize) await this.pause(claimedAt + this.options.gatherMs - Date.now());
    }
    await outbox.mark();
  }

  private idleMs(refused: RefusedEvents): number {
    const { gatherMs, pollMs, idlePollMs, quietMs } = this.options;
    const now = Date.now();
    const dueInMs = Math.min(refused.nextInMs(now), this.watch.nextInMs());
    // What is due may lie on a node that does not answer.
    return Math.min(now - this.eventAt < quietMs ? pollMs : idlePollMs, Math.max(dueInMs, gatherMs));
  }

  private async publishBatch(outbox: Outbox, refused: RefusedEvents, batch: readonly OutboxEvent[]): Promise<void> {
    const outcomes = await this.publisher.publish(batch);
    // Events after one that failed for another reason than a refusal are published again after it; the broker and the inbox
    // recognise the duplicates.
    const failedAt = outcomes.findIndex((outcome) => outcome instanceof Error && !isRefusal(outcome));
    const settled = failedAt === -1 ? batch : batch.slice(0, failedAt);
    const acknowledged = settled.filter((_event, index) => typeof outcomes[index] === 'number');
    outbox.acknowledged(acknowledged, this.lastInStream(outbox, settled, outcomes));
    refused.accept(acknowledged.length);
    refused.forget(acknowledged.map(({ seq }) => seq));
    outboxMetrics.published.inc(acknowledged.length);
    for (const [index, event] of settled.entries()) {
      const outcome = outcomes[index];
      if (!(outcome instanceof Error)) continue;
      refused.refuse(event, outcome.message, Date.now());
      outboxMetrics.refused.inc();
      this.logger.warn({ msg: 'The broker refuses an event', eventId: event.id, reason: outcome.message });
    }
    if (acknowledged.length < settled.length) await this.postponeRefused(outbox, refused, settled);
    const failure = outcomes[failedAt];
    if (!(failure instanceof Error)) return;
    await outbox.mark();
    this.watch.lookSoon();
    await this.pauseAfter('Publishing failed', failure);
  }

  /** A number that is not behind the last published one shows a loss: unmarked events were published after marked ones. */
  private lastInStream(
    outbox: Outbox,
    batch: readonly OutboxEvent[],
    outcomes: readonly EventOutcome[],
  ): StreamPosition | undefined {
    let last: StreamPosition | undefined;
    for (const [index, { id, subject }] of batch.entries()) {
      const streamSeq = outcomes[index];
      if (typeof streamSeq !== 'number') continue;
      if (streamSeq <= (outbox.end?.streamSeq ?? 0)) this.watch.noteLoss(id, streamSeq);
      if (streamSeq > (last?.streamSeq ?? 0)) last = { streamSeq, subject };
    }
    return last;
  }

  /** Refused events wait for another try, while those behind them are published, or become dead letters. */
  private async postponeRefused(outbox: Outbox, refused: RefusedEvents, batch: readonly OutboxEvent[]): Promise<void> {
    outbox.postpone(batch.map(({ seq }) => seq).filter((seq) => refused.has(seq)));
    const hopeless = refused.hopeless();
    if (hopeless.length === 0) return;
    await outbox.setAside(hopeless);
    refused.forget(hopeless.map(({ seq }) => seq));
    metrics.deadLetters.inc({ consumer: OUTBOX_CONSUMER }, hopeless.length);
    this.countedAt = 0;
    this.logger.error({ msg: 'Events became dead letters, because the broker refuses them', count: hopeless.length });
  }

  /** @param mayWait whether events may be waiting; without, they need not be counted */
  private async maintain(outbox: Outbox, mayWait: boolean): Promise<void> {
    const now = Date.now();
    if (now - this.measuredAt >= MEASURE_MS) {
      this.measuredAt = now;
      const { waiting, oldestSeconds } = mayWait || outbox.isPartlyUnseen ? await outbox.lag() : NOTHING_WAITS;
      outboxMetrics.waiting.set(waiting);
      outboxMetrics.lag.set(oldestSeconds);
    }
    if (now - this.settledAt >= SETTLE_MS) {
      this.settledAt = now;
      await outbox.settleGaps();
    }
    if (now - this.countedAt >= COUNT_MS) {
      this.countedAt = now;
      await this.countDeadLetters();
      await outbox.thinMarks(retentionOf('outbox', this.database.config.retentionDays));
    }
  }

  /** Over every node of a cluster: where one does not answer, the events of the others are still published. */
  private async countDeadLetters(): Promise<void> {
    try {
      const waiting = await this.database.crossTenant((tx) => countDeadLetters(tx, OUTBOX_CONSUMER));
      metrics.deadLettersWaiting.set({ consumer: OUTBOX_CONSUMER }, waiting);
    } catch (error) {
      outboxMetrics.failures.inc();
      this.logger.warn(`Dead letters are not counted: ${error instanceof Error ? error.message : error}`);
    }
  }

  private async pauseAfter(what: string, error: unknown): Promise<void> {
    outboxMetrics.failures.inc();
    if (this.stopped) return;
    this.logger.warn(`${what}; the relay tries again: ${error instanceof Error ? error.message : error}`);
    await this.pause(this.options.retryMs);
  }

  /** Only the end of the process shortens the pause; signals of new events do not. */
  private async pause(ms: number): Promise<void> {
    const until = Date.now() + ms;
    while (!this.stopped && Date.now() < until) await this.wake.wait(until - Date.now());
  }
}
