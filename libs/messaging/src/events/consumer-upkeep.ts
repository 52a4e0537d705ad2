import { type ConsumerDefinition, EVENT_STREAM } from '@crm/contracts';
import { countDeadLetters, type Database, Sweeper } from '@crm/database';
import type { Consumer, JetStreamManager } from '@nats-io/jetstream';
import { Injectable } from '@nestjs/common';
import { metrics } from '../metrics.js';
import { NatsConnection } from '../nats-connection.js';

/** Autoscaling looks at the lag every 15 s. */
const MEASURE_MS = 10_000;
const TIMEOUT_MS = 5_000;
/** No such message: the code of a direct get. */
const NOT_FOUND = 404;

/** How much of the stream's retention the oldest unacknowledged event has used: at 1 the stream drops it, unhandled. */
export class ConsumerAge extends Sweeper {
  constructor(
    private readonly nats: NatsConnection,
    private readonly consumers: readonly string[],
  ) {
    super({ everyMs: MEASURE_MS, atStart: true });
  }

  async sweep(): Promise<void> {
    for (const consumer of this.consumers) {
      const ageMs = await this.measure(consumer);
      metrics.retentionUsed.set({ consumer }, ageMs / (EVENT_STREAM.maxAgeNanos / 1_000_000));
    }
    const manager = await this.nats.jetstream.jetstreamManager(false);
    const { state } = await manager.streams.info(EVENT_STREAM.name);
    metrics.streamBytes.set(state.bytes);
  }

  /** @returns the age of the oldest event that is not acknowledged, in milliseconds; 0 when there is none */
  private async measure(durable: string): Promise<number> {
    const consumer = await this.nats.jetstream.consumers.get(EVENT_STREAM.name, durable);
    const info = await consumer.info();
    metrics.pending.set({ consumer: durable }, info.num_pending);
    metrics.unacknowledged.set({ consumer: durable }, info.num_ack_pending);
    metrics.lag.set({ consumer: durable }, info.num_pending + info.num_ack_pending);
    if (info.num_pending + info.num_ack_pending === 0) return 0;
    const answer = await this.nats.connection.request(
      `$JS.API.DIRECT.GET.${EVENT_STREAM.name}`,
      JSON.stringify({
        seq: info.ack_floor.stream_seq + 1,
        next_by_subj: info.config.filter_subject ?? EVENT_STREAM.subjects[0],
      }),
      { timeout: TIMEOUT_MS },
    );
    if (answer.headers?.code === NOT_FOUND) return 0;
    const storedAt = Date.parse(answer.headers?.get('Nats-Time-Stamp') ?? '');
    if (Number.isNaN(storedAt)) throw new Error(`The stream answers ${answer.headers?.status ?? 'without a time'}`);
    return Math.max(0, Date.now() - storedAt);
  }
}

/** Sequences of one stream, known by when it stored them: one that was lost counts from 1 again. */
export interface Acknowledged {
  readonly upTo: number;
  /** When the stream was created. */
  readonly since: Date;
  /** When it stored the last event that it had. */
  readonly until: Date;
}

/** How far a durable consumer has come, over all processes that share it. */
@Injectable()
export class ConsumerProgress {
  private readonly consumers = new Map<string, Consumer>();
  private manager: JetStreamManager | undefined;

  constructor(private readonly nats: NatsConnection) {}

  /** Up to it every event is acknowledged or a dead letter: nothing before it is delivered again, except by a rewind. */
  async acknowledged({ durable }: ConsumerDefinition): Promise<Acknowledged> {
    try {
      const known = this.consumers.get(durable);
      const consumer = known ?? (await this.nats.jetstream.consumers.get(EVENT_STREAM.name, durable));
      this.consumers.set(durable, consumer);
      const { ack_floor, created: consumedSince } = await consumer.info(known === undefined);
      this.manager ??= await this.nats.jetstream.jetstreamManager(false);
      const { created, state } = await this.manager.streams.info(EVENT_STREAM.name);
      const since = new Date(created);
      // Created between the two answers: the first one is of another stream.
      if (new Date(consumedSince) < since) throw new Error('The event stream was created again');
      // Times are known to the millisecond.
      return { upTo: ack_floor.stream_seq, since, until: new Date(Date.parse(state.last_ts) + 1) };
    } catch (error) {
      // One that was deleted and created again is looked up again.
      this.consumers.delete(durable);
      throw error;
    }
  }
}

const UPKEEP_MS = 600_000;

export class ConsumerUpkeep extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly consumers: readonly string[],
  ) {
    super({ everyMs: UPKEEP_MS, atStart: true });
  }

  async sweep(): Promise<void> {
    for (const consumer of this.consumers) {
      const waiting = await this.database.crossTenant((tx) => countDeadLetters(tx, consumer));
      metrics.deadLettersWaiting.set({ consumer }, waiting);
    }
  }
}
