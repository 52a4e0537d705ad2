import { App, SubmissionAudit, Version } from './catalogue/catalogue.entity.js';
import { CertificationRun } from './certification/certification.entity.js';
import { ClientStatus, WebhookSecret } from './credentials/credentials.entity.js';
import { InstallAudit, Installation, InstallationStep, InstallCount } from './installation/installation.entity.js';
import { Rating } from './listing/rating.entity.js';

/** Every table of the service except the queue `installation_work` and those of the libraries (outbox, idempotency). */
export const entities = [
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
