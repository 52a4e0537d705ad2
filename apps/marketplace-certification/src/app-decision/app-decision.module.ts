import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { ClientStatusModule } from '../client-status/client-status.module.js';
import { OperatorsAppController } from './app-decision.controller.js';
import { AppDecisionRepository } from './app-decision.repository.js';
import { AppDecisionService } from './app-decision.service.js';

/** What operators do to published apps. */
@Module({
  imports: [CatalogueModule, ClientStatusModule],
  controllers: [OperatorsAppController],
  providers: [AppDecisionRepository, AppDecisionService],
})
export class AppDecisionModule {}
