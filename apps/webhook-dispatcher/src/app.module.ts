import { DatabaseModule } from '@crm/database';
import { SealingModule } from '@crm/encryption';
import { MessagingModule } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import type { WebhookConfig } from './config.js';
import { ConfigModule } from './config.module.js';
import { DeliveryModule } from './delivery/delivery.module.js';
import { LedgerModule } from './ledger/ledger.module.js';
import { migrations } from './migrations/index.js';
import { SandboxModule } from './sandbox/sandbox.module.js';
import { sealedColumns } from './sealed-columns.js';
import { AppSecret } from './subscriptions/app-secret.entity.js';
import { Subscription } from './subscriptions/subscription.entity.js';
import { SubscriptionsModule } from './subscriptions/subscriptions.module.js';

@Module({})
export class AppModule {
  static with(config: WebhookConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config),
        DatabaseModule.forService({ config: config.database, entities: [AppSecret, Subscription], migrations }),
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
