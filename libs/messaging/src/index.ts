export { inboxPrefix } from './broker-names.js';
export { StreamEraser, type StreamErasure } from './erasure/stream-eraser.js';
export { type Acknowledged, ConsumerProgress } from './events/consumer-upkeep.js';
export { EventConsumer } from './events/event-consumer.js';
export {
  EventContext,
  EventHandler,
  EventReceipt,
  IdempotentEventHandler,
  type IdempotentMethod,
} from './events/event-handling.js';
export { connectMessaging, MessagingModule } from './messaging.module.js';
export {
  MESSAGING_OPTIONS,
  type MessagingConfig,
  type MessagingModuleOptions,
  NatsConnection,
} from './nats-connection.js';
export { NatsStrategy } from './nats-strategy.js';
export { Notices } from './notices.js';
export { OutboxRelay, type OutboxRelayOptions } from './outbox/outbox-relay.js';
export { RevocationPublisher, RevocationWatch } from './revocation/revocation-watch.js';
export { type CallOptions, Rpc } from './rpc/rpc.js';
export { ContractPipe, RpcContext, RpcHandler } from './rpc/rpc-handler.js';
export { RpcServer } from './rpc/rpc-server.js';
export { bytesOf, MAX_FILE_STORE, natsServerConfig, passwordVariable } from './server/nats-server-config.js';
export { NATS_USERS, type NatsUser } from './server/permissions.js';
export { type ProvisioningConnection, provisionStreams, rewindConsumer } from './server/provision-streams.js';
export { TenantDirectory } from './tenant-directory.js';
