import { TokenVerifier } from '@crm/access';
import type { ConsumerDefinition } from '@crm/contracts';
import { Database } from '@crm/database';
import type { BeforeApplicationShutdown, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ConsumerUpkeep } from './events/consumer-upkeep.js';
import { EventConsumer } from './events/event-consumer.js';
import { HandlerDiscovery } from './handler-discovery.js';
import { MESSAGING_OPTIONS, type MessagingModuleOptions } from './messaging-options.js';
import { NatsConnection } from './nats-connection.js';
import { OutboxRelay } from './outbox/outbox-relay.js';
import { RevocationWatch } from './revocation/revocation-watch.js';
import { RpcServer } from './rpc/rpc-server.js';

/** Starts what the service's handlers ask for, and ends it in the order in which nothing is lost. */
@Injectable()
export class MessagingLifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly rpcServer: RpcServer;
  private readonly consumers = new Map<string, EventConsumer>();
  private relay: OutboxRelay | undefined;
  private upkeep: ConsumerUpkeep | undefined;

  constructor(
    @Inject(MESSAGING_OPTIONS) private readonly options: MessagingModuleOptions,
    private readonly nats: NatsConnection,
    private readonly revocations: RevocationWatch,
    private readonly handlers: HandlerDiscovery,
    private readonly modules: ModuleRef,
  ) {
    this.rpcServer = new RpcServer(nats, () => this.modules.get(TokenVerifier, { strict: false }));
  }

  onApplicationBootstrap(): void {
    this.revocations.start();
    for (const { contract, method } of this.handlers.rpcHandlers()) this.rpcServer.serve(contract, method);
    const consumers = this.eventConsumers();
    for (const consumer of consumers.values()) consumer.start();
    if (consumers.size > 0) {
      this.upkeep = new ConsumerUpkeep(this.database(), [...consumers.keys()]);
      this.upkeep.start();
    }
    if (this.options.outbox) {
      this.relay = new OutboxRelay(this.database(), this.nats);
      this.relay.start();
    }
  }

  /** Nothing new comes in, and what is under way ends, while the database is still there. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([
      this.rpcServer.drain(),
      this.upkeep?.stop(),
      ...[...this.consumers.values()].map((consumer) => consumer.stop()),
    ]);
  }

  /** The relay goes after everything that writes events. What it has not sent by then waits for the next relay. */
  async onApplicationShutdown(): Promise<void> {
    await this.relay?.stop();
    await this.revocations.stop();
    await this.nats.close();
  }

  /** The service's consumers with their handlers, by durable name. They take events only when the application starts. */
  eventConsumers(): ReadonlyMap<string, EventConsumer> {
    if (this.consumers.size === 0) {
      for (const { subscription, method } of this.handlers.eventHandlers()) {
        this.consumer(subscription.consumer).on(subscription.events, method);
      }
    }
    return this.consumers;
  }

  private consumer(definition: ConsumerDefinition): EventConsumer {
    const { service, eventConcurrency } = this.options.config;
    if (definition.service !== service) throw new Error(`The consumer ${definition.durable} is not one of ${service}`);
    let consumer = this.consumers.get(definition.durable);
    if (!consumer) {
      consumer = new EventConsumer(definition, this.nats, this.database(), { concurrency: eventConcurrency });
      this.consumers.set(definition.durable, consumer);
    }
    return consumer;
  }

  private database(): Database {
    return this.modules.get(Database, { strict: false });
  }
}
