import type { ConsumerDefinition } from '@crm/contracts';
import type { Database } from '@crm/database';
import type { MessagingConfig, NatsConnection } from '../nats-connection.js';
import { ConsumerAge, ConsumerUpkeep } from './consumer-upkeep.js';
import { EventConsumer } from './event-consumer.js';

export class EventConsumers {
  private readonly consumers = new Map<string, EventConsumer>();
  private upkeep: ConsumerUpkeep | undefined;
  private age: ConsumerAge | undefined;

  /** @param database resolved for the first consumer, because services without events have none */
  constructor(
    private readonly config: Pick<MessagingConfig, 'service'>,
    private readonly nats: NatsConnection,
    private readonly database: () => Database,
  ) {}

  /** @throws Error when the consumer belongs to another service */
  of(definition: ConsumerDefinition): EventConsumer {
    const { service } = this.config;
    if (definition.service !== service)
      throw new Error(`The consumer ${definition.durable} does not belong to ${service}`);
    let consumer = this.consumers.get(definition.durable);
    if (!consumer) {
      consumer = new EventConsumer(definition, this.nats, this.database());
      this.consumers.set(definition.durable, consumer);
    }
    return consumer;
  }

  list(): EventConsumer[] {
    return [...this.consumers.values()];
  }

  start(): void {
    if (this.consumers.size === 0) return;
    for (const consumer of this.consumers.values()) consumer.start();
    this.upkeep = new ConsumerUpkeep(this.database(), [...this.consumers.keys()]);
    this.upkeep.start();
    this.age = new ConsumerAge(this.nats, [...this.consumers.keys()]);
    this.age.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.upkeep?.stop(), this.age?.stop(), ...this.list().map((consumer) => consumer.stop())]);
  }
}
