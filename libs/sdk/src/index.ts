export type {
  Change,
  CompanyRecord,
  ContactRecord,
  CustomRecord,
  EventDataByType,
  EventType,
  InstallationData,
  LeadRecord,
  OpportunityRecord,
  RecordHead,
  TaskRecord,
  UserData,
  WebhookEvent,
} from './events/events.js';
export { type InstallationCredentials, installationTokens, TokenError } from './oauth/installation-tokens.js';
export type { RawBody, RequestHeaders } from './webhooks/request.js';
export type { Secrets } from './webhooks/signing-keys.js';
export { WebhookVerificationError, type WebhookVerificationReason } from './webhooks/verification-error.js';
export {
  TIMESTAMP_TOLERANCE_SECONDS,
  type TimestampedSignature,
  type VerificationOptions,
  verifyTimestampedSignature,
} from './webhooks/verify-timestamped-signature.js';
export { verifyWebhook } from './webhooks/verify-webhook.js';
