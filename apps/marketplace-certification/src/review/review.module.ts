import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { ClientStatusModule } from '../client-status/client-status.module.js';
import { WebhookSecretModule } from '../webhook-secret/webhook-secret.module.js';
import { OperatorsAuditController } from './operator-audit.controller.js';
import { QueueService } from './queue.service.js';
import { OperatorsSubmissionController } from './review.controller.js';
import { ReviewRepository } from './review.repository.js';
import { ReviewService } from './review.service.js';
import { SubmissionMeter } from './submission-meter.js';

@Module({
  imports: [CatalogueModule, ClientStatusModule, WebhookSecretModule],
  controllers: [OperatorsSubmissionController, OperatorsAuditController],
  providers: [ReviewRepository, QueueService, ReviewService, SubmissionMeter],
})
export class ReviewModule {}
