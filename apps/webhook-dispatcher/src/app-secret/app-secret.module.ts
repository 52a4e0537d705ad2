import { Module } from '@nestjs/common';
import { ReceiverChangesModule } from '../receiver-changes/receiver-changes.module.js';
import { SigningSecretModule } from '../signing-secret/signing-secret.module.js';
import { AppSecretRepository } from './app-secret.repository.js';
import { AppSecretRpc } from './app-secret.rpc.js';
import { AppSecretService } from './app-secret.service.js';

@Module({
  imports: [ReceiverChangesModule, SigningSecretModule],
  controllers: [AppSecretRpc],
  providers: [AppSecretRepository, AppSecretService],
  exports: [AppSecretService],
})
export class AppSecretModule {}
