import { ERASURE_CONSUMER, EVENT_STREAM } from '@crm/contracts';
import { AckPolicy, DeliverPolicy, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { nanos } from '@nats-io/nats-core';
import { Injectable } from '@nestjs/common';
import { NatsConnection } from '../nats-connection.js';

/** Messages that are asked for together. */
const BATCH = 1_000;
const EXPIRES_MS = 2_000;
/** After the end of the process: then another one can scan. */
const INACTIVE_MS = 5_000;
/** The clocks of the one who appended the first event, and of the broker. */
const CLOCK_SKEW_MS = 60_000;

export interface StreamErasure {
  /** The subject of the messages among which it looks: `events.<domain>.*.<bucket>`. */
  readonly filter: string;
  /** Milliseconds since 1970 before which there is none. */
  readonly since: number;
  /** Ids of the events with their subjects; the same event may be there again under another one, without content. */
  readonly events: readonly { readonly id: string; readonly subject: string }[];
}

/** Removes messages from the event stream, by their headers, and has the broker overwrite them. */
@Injectable()
export class StreamEraser {
  constructor(private readonly nats: NatsConnection) {}

  /** Can be repeated. @returns how many were removed @throws an error of the client, also while another process scans */
  async erase({ filter, since, events }: StreamErasure): Promise<number> {
    if (events.length === 0) return 0;
    const subjects = new Map(events.map(({ id, subject }) => [id, subject]));
    const manager = await jetstreamManager(this.nats.connection, { checkAPI: false });
    const { num_pending: pending } = await manager.consumers.add(EVENT_STREAM.name, {
      name: ERASURE_CONSUMER.name,
      filter_subject: filter,
      deliver_policy: DeliverPolicy.StartTime,
      opt_start_time: new Date(since - CLOCK_SKEW_MS).toISOString(),
      ack_policy: AckPolicy.None,
      headers_only: true,
      mem_storage: true,
      inactive_threshold: nanos(INACTIVE_MS),
    });
    try {
      const found = pending > 0 ? await this.scan(subjects) : [];
      for (const seq of found) await manager.streams.deleteMessage(EVENT_STREAM.name, seq);
      return found.length;
    } finally {
      await removeConsumer(manager);
    }
  }

  /** @returns the numbers of the messages */
  private async scan(subjects: ReadonlyMap<string, string>): Promise<number[]> {
    const consumer = await this.nats.jetstream.consumers.get(EVENT_STREAM.name, ERASURE_CONSUMER.name);
    const found: number[] = [];
    for (let pending = 1; pending > 0; ) {
      let received = 0;
      for await (const message of await consumer.fetch({ max_messages: BATCH, expires: EXPIRES_MS })) {
        received += 1;
        pending = message.info.pending;
        const id = message.headers?.get('Nats-Msg-Id') ?? '';
        if (subjects.get(id) === message.subject) found.push(message.seq);
        if (pending === 0) break;
      }
      if (received === 0) throw new Error('The stream did not answer');
    }
    return found;
  }
}

const removeConsumer = (manager: JetStreamManager) =>
  manager.consumers.delete(EVENT_STREAM.name, ERASURE_CONSUMER.name);
