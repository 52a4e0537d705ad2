import { DatabaseModule } from '@crm/database';
import { type EgressOptions, OutsideClient } from '@crm/egress';
import { MessagingModule } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import type { WebhookConfig } from './config.js';
import { DeliveryConsumer } from './delivery/delivery.consumer.js';
import { DeliveryController } from './delivery/delivery.controller.js';
import { DeliveryRepository } from './delivery/delivery.repository.js';
import { DeliveryService } from './delivery/delivery.service.js';
import { DeliverySignal } from './delivery/delivery.signal.js';
import { DeliveryWorker } from './delivery/delivery.worker.js';
import { DeliverySender } from './delivery/delivery-sender.js';
import { DueDeliveryRepository } from './delivery/due-delivery.repository.js';
import { SubscriptionQueueRepository } from './delivery/subscription-queue.repository.js';
import { SubscriptionQueueSweeper } from './delivery/subscription-queue.sweeper.js';
import { AppSecretRepository } from './subscription/app-secret.repository.js';
import { AppSecretRpc } from './subscription/app-secret.rpc.js';
import { AppSecretService } from './subscription/app-secret.service.js';
import { SigningSecrets } from './subscription/signing-secrets.js';
import { SubscriptionController } from './subscription/subscription.controller.js';
import { SubscriptionRepository } from './subscription/subscription.repository.js';
import { SubscriptionRpc } from './subscription/subscription.rpc.js';
import { SubscriptionService } from './subscription/subscription.service.js';
import { WEBHOOK_CONFIG } from './webhook-config.js';

/** Milliseconds an attempt may take in all. */
const ATTEMPT_TIMEOUT_MS = 15_000;

const outsideOptions = ({ egress }: WebhookConfig): EgressOptions => ({
  ...egress,
  timeouts: { totalMs: ATTEMPT_TIMEOUT_MS },
  userAgent: 'crm-platform-webhooks/1',
});

@Module({})
export class AppModule {
  static with(config: WebhookConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        DatabaseModule.forService({ config: config.database }),
        MessagingModule.forService({ config: config.service.nats, outbox: true }),
      ],
      controllers: [SubscriptionController, SubscriptionRpc, AppSecretRpc, DeliveryController, DeliveryConsumer],
      providers: [
        { provide: WEBHOOK_CONFIG, useValue: config },
        { provide: OutsideClient, useFactory: () => new OutsideClient(outsideOptions(config)) },
        SigningSecrets,
        AppSecretRepository,
        AppSecretService,
        SubscriptionRepository,
        SubscriptionService,
        SubscriptionQueueRepository,
        DeliveryRepository,
        DueDeliveryRepository,
        DeliverySignal,
        DeliveryService,
        DeliverySender,
        DeliveryWorker,
        SubscriptionQueueSweeper,
      ],
    };
  }
}
