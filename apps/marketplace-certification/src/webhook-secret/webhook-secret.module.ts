import { SecretBox } from '@crm/encryption';
import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { MARKETPLACE_CONFIG, type MarketplaceConfig } from '../config.js';
import { WebhookSecretController } from './webhook-secret.controller.js';
import { WebhookSecretRepository } from './webhook-secret.repository.js';
import { WebhookSecretService } from './webhook-secret.service.js';

@Module({
  imports: [CatalogueModule],
  controllers: [WebhookSecretController],
  providers: [
    WebhookSecretRepository,
    WebhookSecretService,
    {
      provide: SecretBox,
      useFactory: ({ keyEncryptionKey }: MarketplaceConfig) => new SecretBox(keyEncryptionKey),
      inject: [MARKETPLACE_CONFIG],
    },
  ],
  exports: [WebhookSecretService],
})
export class WebhookSecretModule {}
