import { RevocationSource } from '@crm/access';
import { Database, DueWorkMeter, IdempotencyModule } from '@crm/database';
import { Module } from '@nestjs/common';
import { CatalogueModule } from '../catalogue/catalogue.module.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { EndedVersionSweeper } from './ended-version.sweeper.js';
import { InstallationController } from './installation.controller.js';
import {
  InstallationRepository,
  InstallationWorkRepository,
  InstallCountRepository,
  MEASURE_DUE_WORK,
} from './installation.repository.js';
import { InstallationRpc } from './installation.rpc.js';
import { InstallationSaga } from './installation.saga.js';
import { HookAddressService, InstallationService } from './installation.service.js';
import { InstallationWorker } from './installation.worker.js';
import { OAuthClientService } from './oauth-client.service.js';
import { OAuthCredentialController } from './oauth-credential.controller.js';
import { OfferService } from './offer.service.js';
import { PackageStepService } from './package-step.service.js';

const DUE_WORK_METER = Symbol('marketplace:due-work-meter');

@Module({
  imports: [IdempotencyModule, CatalogueModule, CredentialsModule],
  controllers: [InstallationController, InstallationRpc, OAuthCredentialController],
  providers: [
    EndedVersionSweeper,
    HookAddressService,
    InstallationRepository,
    InstallationSaga,
    InstallationService,
    InstallationWorker,
    InstallationWorkRepository,
    InstallCountRepository,
    OAuthClientService,
    OfferService,
    PackageStepService,
    {
      provide: DUE_WORK_METER,
      useFactory: (database: Database, revocations: RevocationSource) =>
        new DueWorkMeter(database, 'installations', MEASURE_DUE_WORK, () => [revocations.suspendedTenants()]),
      inject: [Database, RevocationSource],
    },
  ],
  exports: [EndedVersionSweeper, InstallationRepository, InstallCountRepository, OfferService],
})
export class InstallationModule {}
