import { RevocationSource } from '@crm/access';
import { Database, DueWorkMeter, IdempotencyModule } from '@crm/database';
import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { InstallCountModule } from '../install-count/install-count.module.js';
import { WebhookSecretModule } from '../webhook-secret/webhook-secret.module.js';
import { HookAddressService } from './hook-address.service.js';
import { InstallAuditRepository } from './install-audit.repository.js';
import { InstallationController } from './installation.controller.js';
import { InstallationRepository } from './installation.repository.js';
import { InstallationSaga } from './installation.saga.js';
import { InstallationService } from './installation.service.js';
import { InstallationWorker } from './installation.worker.js';
import { InstallationStepRepository } from './installation-step.repository.js';
import { InstallationWorkRepository } from './installation-work.repository.js';
import { MEASURE_DUE_WORK } from './installation-work.sql.js';
import { KnownAppRpc } from './known-app.rpc.js';
import { KnownAppService } from './known-app.service.js';
import { OAuthClientService } from './oauth-client.service.js';
import { OfferService } from './offer.service.js';
import { PackageStepService } from './package-step.service.js';
import { SagaTokenService } from './saga-token.service.js';
import { SandboxRpc } from './sandbox.rpc.js';
import { SandboxService } from './sandbox.service.js';

const DUE_WORK_METER = Symbol('marketplace:due-work-meter');

@Module({
  imports: [IdempotencyModule, CatalogueModule, InstallCountModule, WebhookSecretModule],
  controllers: [InstallationController, KnownAppRpc, SandboxRpc],
  providers: [
    HookAddressService,
    InstallAuditRepository,
    InstallationRepository,
    InstallationSaga,
    InstallationService,
    InstallationStepRepository,
    InstallationWorker,
    InstallationWorkRepository,
    OAuthClientService,
    OfferService,
    PackageStepService,
    SagaTokenService,
    KnownAppService,
    SandboxService,
    {
      provide: DUE_WORK_METER,
      useFactory: (database: Database, revocations: RevocationSource) =>
        new DueWorkMeter(database, 'installations', MEASURE_DUE_WORK, () => [revocations.suspendedTenants()]),
      inject: [Database, RevocationSource],
    },
  ],
  exports: [InstallationRepository, OAuthClientService, OfferService],
})
export class InstallationModule {}
