import { SecretBox } from '@crm/encryption';
import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { MARKETPLACE_CONFIG, type MarketplaceConfig } from '../config.js';
import { ClientStatusRepository, ClientStatusService } from './client-status.service.js';
import { EmbedCredentialController, WebhookSecretController } from './credentials.controller.js';
import { EmbedCredentialService } from './embed-credential.service.js';
import { WebhookSecretRepository, WebhookSecretService } from './webhook-secret.service.js';

/** Secrets of apps, and what identity has to learn of the apps that it issues tokens to. */
@Module({
  imports: [CatalogueModule],
  controllers: [EmbedCredentialController, WebhookSecretController],
  providers: [
    ClientStatusRepository,
    ClientStatusService,
    EmbedCredentialService,
    WebhookSecretRepository,
    WebhookSecretService,
    {
      provide: SecretBox,
      useFactory: ({ keyEncryptionKey }: MarketplaceConfig) => new SecretBox(keyEncryptionKey),
      inject: [MARKETPLACE_CONFIG],
    },
  ],
  exports: [ClientStatusService, WebhookSecretService],
})
export class CredentialsModule {}
