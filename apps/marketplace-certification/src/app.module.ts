import { DatabaseModule } from '@crm/database';
import { SecretBox } from '@crm/encryption';
import { IdempotencyModule } from '@crm/idempotency';
import { MessagingModule } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import { CertificationController } from './certification/certification.controller.js';
import { CertificationRepository } from './certification/certification.repository.js';
import { CertificationService } from './certification/certification.service.js';
import {
  CertificationProbesFactory,
  outsideResolver,
  RESOLVE_HOST,
  type ResolveHost,
} from './certification/certification-probes.js';
import type { MarketplaceConfig } from './config.js';
import { EmbedCredentialController } from './embed-credential/embed-credential.controller.js';
import { EmbedCredentialService } from './embed-credential/embed-credential.service.js';
import { HookAddresses } from './installation/hook-addresses.js';
import { InstallationController } from './installation/installation.controller.js';
import { InstallationRepository } from './installation/installation.repository.js';
import { ANSWER_WITHIN_MS, InstallationService } from './installation/installation.service.js';
import { INSTALLATION_WORKER_OPTIONS, InstallationWorker } from './installation/installation.worker.js';
import { InstallationSaga } from './installation/installation-saga.js';
import { OfferRepository } from './installation/offer.repository.js';
import { PackageSteps } from './installation/package-steps.js';
import { SagaToken } from './installation/saga-token.js';
import { WorkRepository } from './installation/work.repository.js';
import { ListingController } from './listing/listing.controller.js';
import { ListingRepository } from './listing/listing.repository.js';
import { ListingService } from './listing/listing.service.js';
import { RatingController } from './rating/rating.controller.js';
import { RatingRepository } from './rating/rating.repository.js';
import { RatingService } from './rating/rating.service.js';
import { DeveloperAppService } from './submission/developer-app.service.js';
import { PackageRepository } from './submission/package.repository.js';
import { ReviewService } from './submission/review.service.js';
import { SubmissionController } from './submission/submission.controller.js';
import { SubmissionRepository } from './submission/submission.repository.js';
import { SubmissionRpc } from './submission/submission.rpc.js';
import { SubmissionService } from './submission/submission.service.js';
import { WebhookSecretController } from './webhook-secret/webhook-secret.controller.js';
import { WebhookSecretRepository } from './webhook-secret/webhook-secret.repository.js';
import { WebhookSecretService } from './webhook-secret/webhook-secret.service.js';

const certification = [CertificationService, CertificationRepository, CertificationProbesFactory];
const submission = [SubmissionService, SubmissionRepository, ReviewService, DeveloperAppService, PackageRepository];
const listing = [ListingService, ListingRepository, RatingService, RatingRepository];
const installation = [
  InstallationService,
  InstallationRepository,
  InstallationSaga,
  InstallationWorker,
  WorkRepository,
  OfferRepository,
  PackageSteps,
  SagaToken,
  HookAddresses,
];
const credentials = [EmbedCredentialService, WebhookSecretService, WebhookSecretRepository];

/** The whole service. */
@Module({})
export class AppModule {
  /** @param resolveHost how certification looks names up; the name servers unless a test says otherwise */
  static with(config: MarketplaceConfig, resolveHost: ResolveHost = outsideResolver): DynamicModule {
    return {
      module: AppModule,
      imports: [
        DatabaseModule.forService({ config: config.database }),
        MessagingModule.forService({ config: config.service.nats, outbox: true }),
        IdempotencyModule,
      ],
      controllers: [
        CertificationController,
        SubmissionController,
        SubmissionRpc,
        EmbedCredentialController,
        WebhookSecretController,
        ListingController,
        RatingController,
        InstallationController,
      ],
      providers: [
        ...certification,
        ...submission,
        ...listing,
        ...installation,
        ...credentials,
        { provide: RESOLVE_HOST, useValue: resolveHost },
        { provide: SecretBox, useFactory: () => new SecretBox(config.keyEncryptionKey) },
        { provide: INSTALLATION_WORKER_OPTIONS, useValue: config.installation },
        { provide: ANSWER_WITHIN_MS, useValue: config.installation.answerWithinMs },
      ],
    };
  }
}
