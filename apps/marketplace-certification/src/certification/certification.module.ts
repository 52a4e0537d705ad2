import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { CertificationController, CheckPagesController } from './certification.controller.js';
import { CertificationProbesFactory } from './certification.probes.js';
import { CertificationRepository } from './certification.repository.js';
import { CertificationService } from './certification.service.js';
import { PublisherQuota } from './publisher-quota.js';

@Module({
  imports: [CatalogueModule],
  controllers: [CertificationController, CheckPagesController],
  providers: [PublisherQuota, CertificationProbesFactory, CertificationRepository, CertificationService],
  exports: [CertificationService, PublisherQuota],
})
export class CertificationModule {}
