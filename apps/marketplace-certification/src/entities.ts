import { App } from './catalogue/app.entity.js';
import { SubmissionAudit } from './catalogue/submission-audit.entity.js';
import { Version } from './catalogue/version.entity.js';
import { CertificationRun } from './certification/certification.entity.js';
import { ClientStatus } from './client-status/client-status.entity.js';
import { InstallCount } from './install-count/install-count.entity.js';
import { InstallAudit } from './installation/install-audit.entity.js';
import { Installation } from './installation/installation.entity.js';
import { InstallationStep } from './installation/installation-step.entity.js';
import { Rating } from './rating/rating.entity.js';
import { WebhookSecret } from './webhook-secret/webhook-secret.entity.js';

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
