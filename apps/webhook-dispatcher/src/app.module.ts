import { DatabaseModule } from '@crm/database';
import { MessagingModule } from '@crm/messaging';
import { SealingModule } from '@crm/sealing';
import { type DynamicModule, Module } from '@nestjs/common';
import type { WebhookConfig } from './config.js';
import { ConfigModule } from './config.module.js';
import { DeliveryModule } from './delivery/delivery.module.js';
import { entities } from './entities.js';
import { LedgerModule } from './ledger/ledger.module.js';
import { SandboxModule } from './sandbox/sandbox.module.js';
import { sealedColumns } from './sealed-columns.js';
import { SubscriptionsModule } from './subscriptions/subscriptions.module.js';

@Module({})
export class AppModule {
  static with(config: WebhookConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config),
        DatabaseModule.forService({ config: config.database, entities }),
        SealingModule.forService(config.keyEncryptionKey, sealedColumns),
        MessagingModule.forService({ config: config.service.nats, outbox: true }),
        SubscriptionsModule,
        LedgerModule,
        DeliveryModule,
        SandboxModule,
      ],
    };
  }
}
