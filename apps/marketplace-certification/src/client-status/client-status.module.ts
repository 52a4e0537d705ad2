import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { EmbedCredentialModule } from '../embed-credential/embed-credential.module.js';
import { ClientStatusRepository } from './client-status.repository.js';
import { ClientStatusService } from './client-status.service.js';
import { ClientStatusSweeper } from './client-status.sweeper.js';
import { PublishedClientService } from './published-client.service.js';

/** Decisions about apps that identity has to learn. */
@Module({
  imports: [CatalogueModule, EmbedCredentialModule],
  providers: [ClientStatusRepository, ClientStatusService, ClientStatusSweeper, PublishedClientService],
  exports: [ClientStatusService],
})
export class ClientStatusModule {}
