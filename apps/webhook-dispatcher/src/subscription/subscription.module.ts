import { Module } from '@nestjs/common';
import { AppSecretModule } from '../app-secret/app-secret.module.js';
import { CustomHeaderModule } from '../custom-header/custom-header.module.js';
import { HoldingModule } from '../holding/holding.module.js';
import { OutsideModule } from '../outside/outside.module.js';
import { ReceiverChangesModule } from '../receiver-changes/receiver-changes.module.js';
import { RemovedSubscriptionModule } from '../removed-subscription/removed-subscription.module.js';
import { SigningSecretModule } from '../signing-secret/signing-secret.module.js';
import { SubscriptionController } from './subscription.controller.js';
import { SubscriptionRepository } from './subscription.repository.js';
import { SubscriptionRpc } from './subscription.rpc.js';
import { SubscriptionService } from './subscription.service.js';
import { SubscriptionSecretService } from './subscription-secret.service.js';
import { SubscriptionStateService } from './subscription-state.service.js';

@Module({
  imports: [
    AppSecretModule,
    CustomHeaderModule,
    HoldingModule,
    OutsideModule,
    ReceiverChangesModule,
    RemovedSubscriptionModule,
    SigningSecretModule,
  ],
  controllers: [SubscriptionController, SubscriptionRpc],
  providers: [SubscriptionRepository, SubscriptionSecretService, SubscriptionService, SubscriptionStateService],
  exports: [SubscriptionRepository, SubscriptionStateService],
})
export class SubscriptionModule {}
