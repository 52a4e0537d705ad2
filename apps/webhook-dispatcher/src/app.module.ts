import { DatabaseModule } from '@crm/database';
import { SealingModule } from '@crm/encryption';
import { MessagingModule } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import { AppLedgerModule } from './app-ledger/app-ledger.module.js';
import { AppSecretModule } from './app-secret/app-secret.module.js';
import type { WebhookConfig } from './config.js';
import { ConfigModule } from './config.module.js';
import { DeliveryModule } from './delivery/delivery.module.js';
import { DeliveryStatsModule } from './delivery-stats/delivery-stats.module.js';
import { DueModule } from './due/due.module.js';
import { entities } from './entities.js';
import { EventTypeModule } from './event-type/event-type.module.js';
import { FanOutModule } from './fan-out/fan-out.module.js';
import { ListeningModule } from './listening/listening.module.js';
import { RecoveryModule } from './recovery/recovery.module.js';
import { SampleEventModule } from './sample-event/sample-event.module.js';
import { sealedColumns } from './sealed-columns.js';
import { SubscriptionModule } from './subscription/subscription.module.js';
import { TestEventModule } from './test-event/test-event.module.js';

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
        AppSecretModule,
        EventTypeModule,
        SubscriptionModule,
        DeliveryModule,
        DeliveryStatsModule,
        AppLedgerModule,
        FanOutModule,
        DueModule,
        ListeningModule,
        SampleEventModule,
        RecoveryModule,
        TestEventModule,
      ],
    };
  }
}
