import { DatabaseModule } from '@crm/database';
import { SealingModule } from '@crm/encryption';
import { MessagingModule } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import { App, SubmissionAudit, Version } from './catalogue/catalogue.entity.js';
import { CertificationRun } from './certification/certification.entity.js';
import { CertificationModule } from './certification/certification.module.js';
import { egressResolver, type ResolveHost } from './certification/host-lookups.js';
import type { MarketplaceConfig } from './config.js';
import { ConfigModule } from './config.module.js';
import { ClientStatus, WebhookSecret } from './credentials/credentials.entity.js';
import { InstallAudit, Installation, InstallationStep, InstallCount } from './installation/installation.entity.js';
import { InstallationModule } from './installation/installation.module.js';
import { ListingModule } from './listing/listing.module.js';
import { Rating } from './listing/rating.entity.js';
import { migrations } from './migrations/index.js';
import { ReviewModule } from './review/review.module.js';
import { sealedColumns } from './sealed-columns.js';
import { SubmissionModule } from './submission/submission.module.js';

/** Every table except the queue `installation_work` and those of the libraries (outbox, idempotency). */
const entities = [
  App,
  CertificationRun,
  ClientStatus,
  InstallAudit,
  InstallCount,
  Installation,
  InstallationStep,
  Rating,
  SubmissionAudit,
  Version,
  WebhookSecret,
];

@Module({})
export class AppModule {
  /** @param resolveHost how certification resolves host names; through the name servers unless a test says otherwise */
  static with(config: MarketplaceConfig, resolveHost: ResolveHost = egressResolver): DynamicModule {
    return {
      module: AppModule,
      imports: [
        DatabaseModule.forService({ config: config.database, entities, migrations }),
        SealingModule.forService(config.keyEncryptionKey, sealedColumns),
        MessagingModule.forService({ config: config.service.nats, outbox: true }),
        ConfigModule.with(config, resolveHost),
        CertificationModule,
        SubmissionModule,
        ReviewModule,
        ListingModule,
        InstallationModule,
      ],
    };
  }
}
