import { RevocationSource } from '@crm/access';
import { type DynamicModule, Module } from '@nestjs/common';
import { ConsumerProgress } from './events/consumer-progress.js';
import { MessagingLifecycle } from './messaging-lifecycle.js';
import { MESSAGING_OPTIONS, type MessagingModuleOptions } from './messaging-options.js';
import { NatsConnection } from './nats-connection.js';
import { NatsStrategy } from './nats-strategy.js';
import { Notices } from './notices.js';
import { RevocationPublisher } from './revocation/revocation-publisher.js';
import { RevocationWatch } from './revocation/revocation-watch.js';
import { Rpc } from './rpc/rpc.js';

/**
 * Connects the service to NATS. Provides Rpc, NatsConnection and the watched cut-offs to every module, and the transport
 * strategy that `connectMessaging` gives to the application.
 */
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
        RevocationWatch,
        RevocationSource,
        RevocationPublisher,
        NatsStrategy,
      ],
    };
  }
}
