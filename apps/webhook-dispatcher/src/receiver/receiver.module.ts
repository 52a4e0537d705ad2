import { Module } from '@nestjs/common';
import { AppSecretModule } from '../app-secret/app-secret.module.js';
import { CustomHeaderModule } from '../custom-header/custom-header.module.js';
import { SigningSecretModule } from '../signing-secret/signing-secret.module.js';
import { ReceiverRepository } from './receiver.repository.js';
import { ReceiverDirectory } from './receiver-directory.js';

@Module({
  imports: [AppSecretModule, CustomHeaderModule, SigningSecretModule],
  providers: [ReceiverDirectory, ReceiverRepository],
  exports: [ReceiverDirectory],
})
export class ReceiverModule {}
