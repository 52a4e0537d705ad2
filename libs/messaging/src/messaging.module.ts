import { RevocationSource } from '@crm/access';
import { Database, isDayPublished, PartitionUpkeep, retentionOf } from '@crm/database';
import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  type INestApplication,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { ModuleRef, ModulesContainer } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { StreamEraser } from './erasure/stream-eraser.js';
import { ConsumerProgress } from './events/consumer-upkeep.js';
import { MESSAGING_OPTIONS, type MessagingModuleOptions, NatsConnection } from './nats-connection.js';
import { checkHandlers, NatsStrategy } from './nats-strategy.js';
import { Notices } from './notices.js';
import { OutboxRelay } from './outbox/outbox-relay.js';
import { RevocationPublisher, RevocationWatch } from './revocation/revocation-watch.js';
import { Rpc } from './rpc/rpc.js';

/** Starts the relay, consumers and watch, and stops everything in an order in which nothing is lost. */
@Injectable()
class MessagingLifecycle
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

/** Provides Rpc, NatsConnection, the watched cut-offs, and the transport that `connectMessaging` gives to the application. */
@Module({})
export class MessagingModule {
  static forService(options: MessagingModuleOptions): DynamicModule {
    return {
      module: MessagingModule,
      global: true,
      providers: [
        { provide: MESSAGING_OPTIONS, useValue: options },
        { provide: NatsConnection, useFactory: () => NatsConnection.open(options.config) },
        Rpc,
        Notices,
        ConsumerProgress,
        StreamEraser,
        RevocationWatch,
        { provide: RevocationSource, useExisting: RevocationWatch },
        RevocationPublisher,
        NatsStrategy,
        MessagingLifecycle,
      ],
      exports: [
        NatsConnection,
        Rpc,
        Notices,
        ConsumerProgress,
        StreamEraser,
        RevocationWatch,
        RevocationSource,
        RevocationPublisher,
        NatsStrategy,
      ],
    };
  }
}

/** Call it when guards, pipes and filters are set. @throws Error when a handler cannot be served or says not to whom */
export function connectMessaging(app: INestApplication): void {
  const modules = app.get(ModulesContainer, { strict: false });
  if (![...modules.values()].some(({ metatype }) => metatype === MessagingModule)) return;
  checkHandlers(modules);
  const strategy = app.get(NatsStrategy, { strict: false });
  app.connectMicroservice<MicroserviceOptions>({ strategy }, { inheritAppConfig: true });
}
