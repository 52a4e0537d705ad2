import { Database, isDayPublished, PartitionUpkeep, retentionOf } from '@crm/database';
import type {
  BeforeApplicationShutdown,
  OnApplicationBootstrap,
  OnApplicationShutdown,
  OnModuleInit,
} from '@nestjs/common';
import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { MESSAGING_OPTIONS, type MessagingModuleOptions } from './messaging-options.js';
import { NatsConnection } from './nats-connection.js';
import { NatsStrategy } from './nats-strategy.js';
import { OutboxRelay } from './outbox/outbox-relay.js';
import { RevocationWatch } from './revocation/revocation-watch.js';

/** Starts the relay, consumers and watch, and stops everything in an order in which nothing is lost. */
@Injectable()
export class MessagingLifecycle
  implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  private relay: OutboxRelay | undefined;

  constructor(
    @Inject(MESSAGING_OPTIONS) private readonly options: MessagingModuleOptions,
    private readonly nats: NatsConnection,
    private readonly revocations: RevocationWatch,
    private readonly strategy: NatsStrategy,
    private readonly modules: ModuleRef,
  ) {}

  /** Before the first upkeep of the partitions, which is part of the start. */
  onModuleInit(): void {
    if (!this.options.outbox) return;
    const { config } = this.modules.get(Database, { strict: false });
    const keepDays = retentionOf('outbox', config.retentionDays);
    this.modules
      .get(PartitionUpkeep, { strict: false })
      .dropOnlyIf('outbox', (tx, day) => isDayPublished(tx, day, keepDays));
  }

  onApplicationBootstrap(): void {
    this.revocations.start();
    if (this.options.outbox) {
      this.relay = new OutboxRelay(this.modules.get(Database, { strict: false }), this.nats);
      this.relay.start();
    }
  }

  /** Stops accepting work and waits for work in progress while the database is still open. Nest would do so later. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.strategy.close();
  }

  /** The relay stops after everything that writes events. Events it has not sent wait for the next relay. */
  async onApplicationShutdown(): Promise<void> {
    await this.relay?.stop();
    await this.revocations.stop();
    await this.nats.close();
  }
}
