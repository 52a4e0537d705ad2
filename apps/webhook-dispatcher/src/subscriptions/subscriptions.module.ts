import { OutsideClient } from '@crm/egress';
import { Module } from '@nestjs/common';
import { QueueModule } from '../queue/queue.module.js';
import { AppSecretRepository } from './app-secret.repository.js';
import { CustomHeaderService } from './custom-headers.js';
import { EventTypeController } from './event-type.controller.js';
import { ReceiverChanges } from './receiver-changes.js';
import { receiverClient } from './receiver-client.js';
import { RemovedSubscriptionSweeper } from './removed-subscription.sweeper.js';
import { SecretService } from './secret.service.js';
import { SigningSecretService } from './signature.js';
import { SubscriptionController } from './subscription.controller.js';
import { SubscriptionRepository } from './subscription.repository.js';
import { SubscriptionRpc } from './subscription.rpc.js';
import { SubscriptionService } from './subscription.service.js';
import { SubscriptionStateService } from './subscription-state.service.js';

const SHARED = [
  CustomHeaderService,
  ReceiverChanges,
  SecretService,
  SigningSecretService,
  SubscriptionRepository,
  SubscriptionStateService,
];

@Module({
  imports: [QueueModule],
  controllers: [EventTypeController, SubscriptionController, SubscriptionRpc],
  providers: [...SHARED, AppSecretRepository, receiverClient, RemovedSubscriptionSweeper, SubscriptionService],
  exports: [...SHARED, OutsideClient],
})
export class SubscriptionsModule {}
