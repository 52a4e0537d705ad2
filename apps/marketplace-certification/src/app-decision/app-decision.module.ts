import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { ClientStatusModule } from '../client-status/client-status.module.js';
import { AppDecisionRepository } from './app-decision.repository.js';
import { AppDecisionRpc } from './app-decision.rpc.js';
import { AppDecisionService } from './app-decision.service.js';

/** What operators do to published apps. */
@Module({
  imports: [CatalogueModule, ClientStatusModule],
  controllers: [AppDecisionRpc],
  providers: [AppDecisionRepository, AppDecisionService],
})
export class AppDecisionModule {}
