import { setTimeout as delay } from 'node:timers/promises';
import { EVENT_STREAM } from '@crm/contracts';
import type { Outbox, OutboxMark, StreamPosition } from '@crm/database';
import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { outboxMetrics } from '../metrics.js';
import type { NatsConnection } from '../nats-connection.js';

const TIMEOUT_MS = 2_000;

/** Events on their way at a loss, a batch of the relay at most: they take numbers that lost events had. */
const MOST_ON_THEIR_WAY = 256;

/**
 * A lost or restored stream lacks events from its end only, and only this service publishes its subjects: an event is
 * still there when the last one on its subject is that event or a later one.
 */
class EventStream {
  constructor(private readonly nats: NatsConnection) {}

  /** @throws an error of the client when the broker does not answer, Error for an answer that is neither event nor none */
  async has({ streamSeq, subject }: StreamPosition): Promise<boolean> {
    return (await this.lastOn(subject)) >= streamSeq;
  }

  /**
   * A mark is certain when its subject goes on further behind it than what was on its way at the loss: otherwise its
   * number can be another event's. Going back further than needed costs doubles, and loses nothing.
   */
  async findKept(marks: readonly OutboxMark[]): Promise<OutboxMark | undefined> {
    for (const mark of marks) {
      if ((await this.lastOn(mark.subject)) >= mark.streamSeq + MOST_ON_THEIR_WAY) return mark;
    }
    return undefined;
  }

  private async lastOn(subject: string): Promise<number> {
    const answer = await this.nats.connection.request(`$JS.API.DIRECT.GET.${EVENT_STREAM.name}.${subject}`, '', {
      timeout: TIMEOUT_MS,
    });
    if (answer.headers?.code === 404) return 0;
    const last = Number(answer.headers?.get('Nats-Sequence') || Number.NaN);
    if (Number.isNaN(last)) throw new Error(`The stream answers ${answer.headers?.status ?? 'without a number'}`);
    return last;
  }
}

/** A replica that lags behind may answer a look, so this many must agree; a wrong loss would cost time only. */
const LOOKS = 3;
const BETWEEN_LOOKS_MS = 500;
/** After a look without an answer. */
const RETRY_MS = 1_000;
/** Marks of events that the stream drops for their age within this time are not asked for. */
const MARGIN_SECONDS = 3_600;
const KEPT_SECONDS = EVENT_STREAM.maxAgeNanos / 1_000_000_000 - MARGIN_SECONDS;

/** Far more than are on their way at a loss. */
const MOST_SHOWN = 4_096;

/** Notices that the stream has lost published events, and takes the outbox back to before that (decision record 0132). */
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
   * A number that is not behind the last published one means a loss, whatever a look says. Published again, the event
   * has the same number, by which the broker knows it for two minutes, and shows no other loss.
   */
  noteLoss(eventId: string, streamSeq: number): void {
    if (this.shown.get(eventId) === streamSeq) return;
    this.shown.set(eventId, streamSeq);
    this.lossShown = true;
    this.lookSoon();
  }

  nextInMs(): number {
    return Math.max(0, this.lookAt - Date.now());
  }

  /** Looks, if it is time. @returns whether the outbox was taken back and must be opened again */
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

  private async isMissing(end: StreamPosition): Promise<boolean> {
    for (let look = 0; look < LOOKS; look += 1) {
      if (look > 0) await delay(BETWEEN_LOOKS_MS);
      if (await this.stream.has(end)) return false;
    }
    return true;
  }
}
