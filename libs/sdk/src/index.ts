export type {
  Change,
  EventDataByType,
  EventType,
  InstallationData,
  UserData,
  WebhookEvent,
} from './events/events.js';
export type {
  CompanyRecord,
  ContactRecord,
  CustomRecord,
  LeadRecord,
  OpportunityRecord,
  RecordHead,
  TaskRecord,
} from './events/records.js';
export { type InstallationCredentials, installationTokens } from './oauth/installation-tokens.js';
export { TokenError } from './oauth/token-error.js';
export type { RawBody } from './webhooks/raw-body.js';
export type { RequestHeaders } from './webhooks/request-headers.js';
export type { Secrets } from './webhooks/secrets.js';
export { TIMESTAMP_TOLERANCE_SECONDS, type VerificationOptions } from './webhooks/timestamp.js';
export { WebhookVerificationError, type WebhookVerificationReason } from './webhooks/verification-error.js';
export { type TimestampedSignature, verifyTimestampedSignature } from './webhooks/verify-timestamped-signature.js';
export { verifyWebhook } from './webhooks/verify-webhook.js';
