import { type ConsumerDefinition, EVENT_STREAM } from '@crm/contracts';
import type { Consumer } from '@nats-io/jetstream';
import { Injectable } from '@nestjs/common';
import { NatsConnection } from '../nats-connection.js';

/** How far a durable consumer has come, over all processes that share it. */
@Injectable()
export class ConsumerProgress {
  private readonly consumers = new Map<string, Consumer>();

  constructor(private readonly nats: NatsConnection) {}

  /**
   * The sequence in the stream up to which every event is acknowledged or stored as a dead letter: nothing before it can be
   * delivered any more, except by a rewind. One request to the broker.
   * @throws an error of the broker's client when the broker cannot be reached or has no such consumer
   */
  async acknowledgedUpTo({ durable }: ConsumerDefinition): Promise<number> {
    try {
      const known = this.consumers.get(durable);
      const consumer = known ?? (await this.nats.jetstream.consumers.get(EVENT_STREAM.name, durable));
      this.consumers.set(durable, consumer);
      const { ack_floor } = await consumer.info(known === undefined);
      return ack_floor.stream_seq;
    } catch (error) {
      // One that was deleted and created again is looked up again.
      this.consumers.delete(durable);
      throw error;
    }
  }
}
