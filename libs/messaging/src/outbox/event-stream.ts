import { EVENT_STREAM } from '@crm/contracts';
import type { OutboxMark, StreamPlace } from '@crm/database';
import type { NatsConnection } from '../nats-connection.js';

const TIMEOUT_MS = 2_000;

/**
 * Events that can have come into a stream after its loss before anybody looked: those that were on their way then, which is a
 * batch of the relay. They take numbers that lost events had.
 */
const MOST_ON_THEIR_WAY = 256;

/**
 * What the stream still has of the events that this service has published.
 *
 * A stream that was deleted, or restored from an older copy, lacks events from its end only, and a service is the only one
 * that publishes its subjects. So an event is still there when the last one on its subject is that event or a later one. The
 * number of messages in the stream would not tell: other services may have published since.
 */
export class EventStream {
  constructor(private readonly nats: NatsConnection) {}

  /**
   * Whether the event is there.
   * @throws NoRespondersError when there is no stream, TimeoutError or ConnectionError when the broker does not answer, Error
   *   for an answer that is neither an event nor that there is none
   */
  async has({ streamSeq, subject }: StreamPlace): Promise<boolean> {
    return (await this.lastOn(subject)) >= streamSeq;
  }

  /**
   * The first of the marks, which are the latest first, whose event a stream that has lost events still has for certain. A mark
   * is certain when its subject goes on further behind it than what was on its way at the loss: otherwise the event with its
   * number can be another one, which came after the loss. Going back further than needed costs doubles, and loses nothing.
   */
  async findKept(marks: readonly OutboxMark[]): Promise<OutboxMark | undefined> {
    for (const mark of marks) {
      if ((await this.lastOn(mark.subject)) >= mark.streamSeq + MOST_ON_THEIR_WAY) return mark;
    }
    return undefined;
  }

  /** Number of the last event on a subject, 0 without one. */
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
