import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { InstallationModule } from '../installation/installation.module.js';
import { AppDecisionRepository } from './app-decision.repository.js';
import { AppDecisionService } from './app-decision.service.js';
import { QueueService } from './queue.service.js';
import {
  OperatorsAppController,
  OperatorsAuditController,
  OperatorsSubmissionController,
} from './review.controller.js';
import { ReviewRepository } from './review.repository.js';
import { ReviewService } from './review.service.js';
import { SubmissionMeter } from './submission-meter.js';

@Module({
  imports: [CatalogueModule, CredentialsModule, InstallationModule],
  controllers: [OperatorsSubmissionController, OperatorsAppController, OperatorsAuditController],
  providers: [
    AppDecisionRepository,
    AppDecisionService,
    QueueService,
    ReviewRepository,
    ReviewService,
    SubmissionMeter,
  ],
})
export class ReviewModule {}
