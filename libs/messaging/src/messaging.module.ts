import { RevocationSource } from '@crm/access';
import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { HandlerDiscovery } from './handler-discovery.js';
import { MessagingLifecycle } from './messaging-lifecycle.js';
import { MESSAGING_OPTIONS, type MessagingModuleOptions } from './messaging-options.js';
import { NatsConnection } from './nats-connection.js';
import { RevocationPublisher } from './revocation/revocation-publisher.js';
import { RevocationWatch } from './revocation/revocation-watch.js';
import { Rpc } from './rpc/rpc.js';

/**
 * Connects the service to NATS and finds its handlers: methods marked with `@RpcHandler` and `@EventHandler` in any
 * provider. Provides Rpc, NatsConnection and the watched cut-offs to every module.
 */
@Module({})
export class MessagingModule {
  static forService(options: MessagingModuleOptions): DynamicModule {
    return {
      module: MessagingModule,
      global: true,
      imports: [DiscoveryModule],
      providers: [
        { provide: MESSAGING_OPTIONS, useValue: options },
        { provide: NatsConnection, useFactory: () => NatsConnection.open(options.config) },
        Rpc,
        RevocationWatch,
        { provide: RevocationSource, useExisting: RevocationWatch },
        RevocationPublisher,
        HandlerDiscovery,
        MessagingLifecycle,
      ],
      exports: [NatsConnection, Rpc, RevocationWatch, RevocationSource, RevocationPublisher, MessagingLifecycle],
    };
  }
}
