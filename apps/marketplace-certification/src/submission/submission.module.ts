import { IdempotencyModule } from '@crm/database';
import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { CertificationModule } from '../certification/certification.module.js';
import { InstallationModule } from '../installation/installation.module.js';
import { DeveloperAppService } from './developer-app.service.js';
import { DeveloperDeliveryController } from './developer-delivery.controller.js';
import { DeveloperDeliveryService } from './developer-delivery.service.js';
import { SubmissionController } from './submission.controller.js';
import { SubmissionService } from './submission.service.js';

@Module({
  imports: [IdempotencyModule, CatalogueModule, CertificationModule, InstallationModule],
  controllers: [SubmissionController, DeveloperDeliveryController],
  providers: [SubmissionService, DeveloperAppService, DeveloperDeliveryService],
})
export class SubmissionModule {}
