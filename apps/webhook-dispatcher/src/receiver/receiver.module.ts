import { Module } from '@nestjs/common';
import { AppSecretModule } from '../app-secret/app-secret.module.js';
import { CustomHeaderModule } from '../custom-header/custom-header.module.js';
import { RemovedSubscriptionModule } from '../removed-subscription/removed-subscription.module.js';
import { SigningSecretModule } from '../signing-secret/signing-secret.module.js';
import { ReceiverRepository } from './receiver.repository.js';
import { ReceiverDirectory } from './receiver-directory.js';

@Module({
  imports: [AppSecretModule, CustomHeaderModule, RemovedSubscriptionModule, SigningSecretModule],
  providers: [ReceiverDirectory, ReceiverRepository],
  exports: [ReceiverDirectory],
})
export class ReceiverModule {}
