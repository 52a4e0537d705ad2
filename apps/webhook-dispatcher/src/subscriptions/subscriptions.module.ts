import { OutsideClient } from '@crm/egress';
import { Module } from '@nestjs/common';
import { QueueModule } from '../queue/queue.module.js';
import { AppSecretRepository } from './app-secret.repository.js';
import { AppSecretRpc } from './app-secret.rpc.js';
import { AppSecretService } from './app-secret.service.js';
import { CustomHeaderService } from './custom-header.service.js';
import { EventTypeController } from './event-type.controller.js';
import { ReceiverChanges } from './receiver-changes.js';
import { receiverClient } from './receiver-client.js';
import { RemovedSubscriptionRepository } from './removed-subscription.repository.js';
import { RemovedSubscriptionSweeper } from './removed-subscription.sweeper.js';
import { SigningSecretService } from './signing-secret.service.js';
import { SubscriptionController } from './subscription.controller.js';
import { SubscriptionRepository } from './subscription.repository.js';
import { SubscriptionRpc } from './subscription.rpc.js';
import { SubscriptionService } from './subscription.service.js';
import { SubscriptionSecretService } from './subscription-secret.service.js';
import { SubscriptionStateService } from './subscription-state.service.js';

@Module({
  imports: [QueueModule],
  controllers: [AppSecretRpc, EventTypeController, SubscriptionController, SubscriptionRpc],
  providers: [
    AppSecretRepository,
    AppSecretService,
    CustomHeaderService,
    receiverClient,
    ReceiverChanges,
    RemovedSubscriptionRepository,
    RemovedSubscriptionSweeper,
    SigningSecretService,
    SubscriptionRepository,
    SubscriptionSecretService,
    SubscriptionService,
    SubscriptionStateService,
  ],
  exports: [
    AppSecretService,
    CustomHeaderService,
    OutsideClient,
    ReceiverChanges,
    RemovedSubscriptionRepository,
    SigningSecretService,
    SubscriptionRepository,
    SubscriptionStateService,
  ],
})
export class SubscriptionsModule {}
