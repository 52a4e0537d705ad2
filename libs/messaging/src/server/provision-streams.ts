import {
  ACCESS_TOKEN_SECONDS,
  CONSUMERS,
  type ConsumerDefinition,
  EVENT_STREAM,
  REVOCATION_BUCKET,
} from '@crm/contracts';
import {
  AckPolicy,
  type ConsumerConfig,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { inboxPrefix, REVOCATION_STREAM, REVOCATION_SUBJECT_PREFIX } from '../broker-names.js';
import { serversOf } from '../nats-connection.js';
import { bytesOf, MAX_FILE_STORE, sharesOf } from './nats-server-config.js';

export interface ProvisioningConnection {
  url: string;
  user: string;
  password: string;
}

type LimitedStream = Partial<StreamConfig> & { name: string; max_bytes: number };

export interface StreamOptions {
  /** 3 in production, 1 on a single server. */
  readonly replicas: number;
  /** What a server may store, its `max_file_store`; default {@link MAX_FILE_STORE}. */
  readonly fileStoreBytes?: number;
}

/** Can be repeated. @returns what was created, as `stream EVENTS` */
export function provisionStreams(connection: ProvisioningConnection, options: StreamOptions): Promise<string[]> {
  const { replicas, fileStoreBytes = bytesOf(MAX_FILE_STORE) as number } = options;
  const shares = sharesOf(fileStoreBytes);
  return asProvisioner(connection, async (manager) => {
    const created: string[] = [];
    // The bucket first: its space is reserved before the events take theirs.
    for (const stream of [revocationStream(replicas, shares.revocations), eventStream(replicas, shares.events)]) {
      if (await ensureStream(manager, stream)) created.push(`stream ${stream.name}`);
    }
    for (const consumer of Object.values(CONSUMERS)) {
      if (await ensureConsumer(manager, consumer)) created.push(`consumer ${consumer.durable}`);
    }
    return created;
  });
}

async function asProvisioner<Result>(
  connection: ProvisioningConnection,
  work: (manager: JetStreamManager) => Promise<Result>,
): Promise<Result> {
  const nats = await connect({
    ...serversOf(connection.url),
    user: connection.user,
    pass: connection.password,
    name: 'provisioner',
    inboxPrefix: inboxPrefix('provisioner'),
  });
  try {
    return await work(await jetstreamManager(nats));
  } finally {
    await nats.close();
  }
}

const eventStream = (replicas: number, maxBytes: number): LimitedStream => ({
  name: EVENT_STREAM.name,
  subjects: [...EVENT_STREAM.subjects],
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  max_age: EVENT_STREAM.maxAgeNanos,
  duplicate_window: EVENT_STREAM.duplicateWindowNanos,
  // What does not fit is refused, and waits in the outbox: the oldest may still be of use to a consumer.
  discard: DiscardPolicy.New,
  max_bytes: maxBytes,
  // Each service looks at the last of its own events.
  allow_direct: true,
  num_replicas: replicas,
});

/** A key-value bucket with a history of one (NATS architecture decision record 8); a day outlives every affected token. */
const revocationStream = (replicas: number, maxBytes: number): LimitedStream => ({
  name: REVOCATION_STREAM,
  description: `Key-value bucket ${REVOCATION_BUCKET}`,
  subjects: [`${REVOCATION_SUBJECT_PREFIX}>`],
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  max_msgs_per_subject: 1,
  max_age: nanos(96 * ACCESS_TOKEN_SECONDS * 1000),
  max_bytes: maxBytes,
  discard: DiscardPolicy.New,
  allow_rollup_hdrs: true,
  allow_direct: true,
  deny_delete: true,
  num_replicas: replicas,
});

/** Without where it begins, which a consumer keeps: the server refuses to change that, and an operator may have rewound it. */
const consumerConfig = (consumer: ConsumerDefinition): Partial<ConsumerConfig> => ({
  durable_name: consumer.durable,
  ack_policy: AckPolicy.Explicit,
  ack_wait: nanos(consumer.ackWaitMs),
  // Deliveries are counted by the service, which stores dead letters; a limit here would drop messages silently.
  max_deliver: -1,
  max_ack_pending: consumer.maxAckPending,
  ...filterOf(consumer),
});

function filterOf({ events }: ConsumerDefinition): Partial<ConsumerConfig> {
  // nats-server 2.9 supports only one filter; with several events the service ignores the others.
  return events !== 'all' && events.length === 1 ? { filter_subject: `events.${events[0]}.*` } : {};
}

async function ensureStream(manager: JetStreamManager, config: LimitedStream): Promise<boolean> {
  const there = await find(() => manager.streams.info(config.name));
  // A limit below what is stored would drop the oldest: the stream keeps them, and takes no more until it is below its limit.
  const maxBytes = Math.max(config.max_bytes, there?.state.bytes ?? 0);
  if (there) await manager.streams.update(config.name, { ...config, max_bytes: maxBytes });
  else await manager.streams.add(config);
  return !there;
}

async function ensureConsumer(manager: JetStreamManager, consumer: ConsumerDefinition): Promise<boolean> {
  const config = consumerConfig(consumer);
  const isThere = await find(() => manager.consumers.info(EVENT_STREAM.name, consumer.durable));
  if (isThere) await manager.consumers.update(EVENT_STREAM.name, consumer.durable, config);
  // From the start of the stream, so that the consumer also gets events published before it was created.
  else await manager.consumers.add(EVENT_STREAM.name, { ...config, deliver_policy: DeliverPolicy.All });
  return !isThere;
}

async function find<Info>(info: () => Promise<Info>): Promise<Info | undefined> {
  try {
    return await info();
  } catch (error) {
    if (error instanceof JetStreamApiError && error.status === 404) return undefined;
    throw error;
  }
}

export interface Rewound {
  /** The time that was asked for, or that of the oldest event that is not acknowledged, if that is earlier. */
  readonly since: Date;
  readonly pending: number;
}

/**
 * Events since a time come again, after a database has lost what it had handled. The server cannot move a consumer, so
 * it is made again: running pulls fail for a moment. @throws JetStreamApiError without such a consumer
 */
export async function rewindConsumer(
  connection: ProvisioningConnection,
  consumer: ConsumerDefinition,
  since: Date,
): Promise<Rewound> {
  if (since.getTime() > Date.now()) throw new Error('A consumer is rewound to a time in the past');
  return asProvisioner(connection, async (manager) => {
    const start = await startOf(manager, consumer, since);
    // Between these two, provisioning makes it again, from the start of the stream: nothing is lost.
    await manager.consumers.delete(EVENT_STREAM.name, consumer.durable);
    const info = await manager.consumers.add(EVENT_STREAM.name, { ...consumerConfig(consumer), ...start.config });
    return { since: start.since, pending: info.num_pending };
  });
}

async function startOf(
  manager: JetStreamManager,
  { durable }: ConsumerDefinition,
  since: Date,
): Promise<{ since: Date; config: Partial<ConsumerConfig> }> {
  const { ack_floor: floor } = await manager.consumers.info(EVENT_STREAM.name, durable);
  const oldest = await manager.direct.getMessage(EVENT_STREAM.name, {
    seq: floor.stream_seq + 1,
    next_by_subj: EVENT_STREAM.subjects[0],
  });
  if (oldest && oldest.time < since) {
    return {
      since: oldest.time,
      config: { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: oldest.seq },
    };
  }
  return { since, config: { deliver_policy: DeliverPolicy.StartTime, opt_start_time: since.toISOString() } };
}
