export * from './app-notices.js';
export * from './canonical-json.js';
export * from './databases.js';
export * from './deliveries.js';
export * from './errors.js';
export * from './events/catalogue.js';
export * from './events/define.js';
export * from './events/envelope.js';
export * from './events/event-pattern.js';
export * from './events/event-types.js';
export * from './hooks.js';
export * from './identifiers.js';
export * from './languages.js';
export * from './notices.js';
export * from './objects.js';
export * from './operator-audit.js';
export * from './page-paths.js';
export * from './plans.js';
export * from './records.js';
export * from './revocation.js';
export * from './rights.js';
export type { ProvisionedHook } from './rpc/automations.js';
export type { ProvisionedObject } from './rpc/custom-objects.js';
export type { EmbedCredentialsSummary, OAuthAppStatus, OAuthCredentialsSummary, TenantView } from './rpc/identity.js';
export * as rpc from './rpc/index.js';
export { RPC_CONTRACTS, type RpcContract, type RpcRequest, type RpcResponse } from './rpc/index.js';
export type {
  AppDelivery,
  AppDeliveryAttempt,
  DeliveryHour,
  ProvisionedSubscription,
} from './rpc/webhooks.js';
export * from './services.js';
export * from './streams.js';
export * from './tokens.js';
export * from './transport.js';
export * from './version.js';
