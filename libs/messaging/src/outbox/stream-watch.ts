import { setTimeout as delay } from 'node:timers/promises';
import { EVENT_STREAM } from '@crm/contracts';
import type { Outbox, StreamPlace } from '@crm/database';
import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { NatsConnection } from '../nats-connection.js';
import { EventStream } from './event-stream.js';
import { outboxMetrics } from './outbox-metrics.js';

/**
 * A replica of the stream that lags behind may answer a look, so a loss is one that this many looks agree on. One that is
 * seen wrongly would cost time only: what is published again is recognised.
 */
const LOOKS = 3;
const BETWEEN_LOOKS_MS = 500;
/** After a look without an answer. */
const RETRY_MS = 1_000;
/** Marks of events that the stream drops for their age within this time are not asked for. */
const MARGIN_SECONDS = 3_600;
const KEPT_SECONDS = EVENT_STREAM.maxAgeNanos / 1_000_000_000 - MARGIN_SECONDS;

/** Far more than are on their way at a loss. */
const MOST_SHOWN = 4_096;

/**
 * Notices that the stream has lost what the relay has published, and takes the outbox back to before that, so that the relay
 * publishes it again. See decision record 0132.
 */
export class StreamWatch {
  private readonly logger = new Logger('StreamWatch');
  private readonly stream: EventStream;
  private readonly removeListener: () => void;
  private lookAt = 0;
  private lossShown = false;
  /** Events that have shown a loss, with the numbers by which they have. */
  private readonly shown = new LRUCache<string, number>({ max: MOST_SHOWN });

  /** @param everyMs milliseconds between looks while nothing happens */
  constructor(
    nats: NatsConnection,
    private readonly everyMs: number,
  ) {
    this.stream = new EventStream(nats);
    this.removeListener = nats.onStatus(({ type }) => {
      if (type === 'disconnect' || type === 'reconnect') this.lookSoon();
    });
  }

  /** Something happened by which the stream may have changed: the next call looks. */
  lookSoon(): void {
    this.lookAt = 0;
  }

  /**
   * The stream has given an event of this outbox a number that is not behind what was published before, so it has lost
   * something, whatever a look says: the event with the number of the last one can be another by now. When it is published again
   * after that it has the same number, by which the broker knows it for two minutes, and shows no other loss.
   */
  noteLoss(eventId: string, streamSeq: number): void {
    if (this.shown.get(eventId) === streamSeq) return;
    this.shown.set(eventId, streamSeq);
    this.lossShown = true;
    this.lookSoon();
  }

  /** Milliseconds until the next look. */
  nextInMs(): number {
    return Math.max(0, this.lookAt - Date.now());
  }

  /**
   * Looks, if it is time, whether the stream still has the last published event.
   * @returns whether it does not and the outbox was taken back; it must then be opened again
   */
  async tookBack(outbox: Outbox): Promise<boolean> {
    const { end } = outbox;
    if (Date.now() < this.lookAt) return false;
    this.lookAt = Date.now() + this.everyMs;
    if (!end) return false;
    try {
      if (!this.lossShown && !(await this.isMissing(end))) return false;
      const marks = await outbox.marks(KEPT_SECONDS);
      // So long ago that the stream has dropped it for its age.
      if (marks.length === 0) {
        this.lossShown = false;
        return false;
      }
      const kept = await this.stream.findKept(marks);
      await outbox.returnTo(kept);
      this.lossShown = false;
      outboxMetrics.refills.inc();
      this.logger.error({
        msg: 'The stream has lost published events; they are published again',
        lastPublished: end.streamSeq,
        publishedAgainAfter: kept?.streamSeq ?? 0,
      });
      return true;
    } catch (error) {
      // Publishing goes on meanwhile, or fails for the same reason.
      this.lookAt = Date.now() + RETRY_MS;
      this.logger.warn(
        `Whether the stream is complete is not known; the next look tries again: ${error instanceof Error ? error.message : error}`,
      );
      return false;
    }
  }

  close(): void {
    this.removeListener();
  }

  private async isMissing(end: StreamPlace): Promise<boolean> {
    for (let look = 0; look < LOOKS; look += 1) {
      if (look > 0) await delay(BETWEEN_LOOKS_MS);
      if (await this.stream.has(end)) return false;
    }
    return true;
  }
}
