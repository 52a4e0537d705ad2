import { type ConsumerDefinition, EVENT_STREAM } from '@crm/contracts';
import { type ConsumerConfig, DeliverPolicy, type JetStreamManager } from '@nats-io/jetstream';
import { asProvisioner, consumerConfig, type ProvisioningConnection } from './provision-streams.js';

/** Where a consumer begins again. */
export interface Rewound {
  /** The time that was asked for, or that of the oldest event that is not acknowledged, if that is earlier. */
  readonly since: Date;
  /** Events that it receives from there. */
  readonly pending: number;
}

/**
 * Has a durable consumer receive the events since a time again, after its database has lost what it had handled. The server
 * cannot move a consumer, so it is made again; events that it had not acknowledged are older than the time or come again with
 * the others. The service's processes may run: their pulls fail for a moment and are repeated. The inbox removes the doubles.
 * @throws JetStreamApiError when there is no such consumer, Error for a time in the future
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
