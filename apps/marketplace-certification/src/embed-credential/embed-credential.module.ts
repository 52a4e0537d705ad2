import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { EmbedCredentialController } from './embed-credential.controller.js';
import { EmbedCredentialService } from './embed-credential.service.js';

@Module({
  imports: [CatalogueModule],
  controllers: [EmbedCredentialController],
  providers: [EmbedCredentialService],
  exports: [EmbedCredentialService],
})
export class EmbedCredentialModule {}
