export { ConsumerProgress } from './events/consumer-upkeep.js';
export { EventConsumer, type EventConsumerOptions } from './events/event-consumer.js';
export {
  EventContext,
  EventHandler,
  type EventMethod,
  EventReceipt,
  IdempotentEventHandler,
  type IdempotentMethod,
  type Receipt,
} from './events/event-handling.js';
export { REDELIVERY_DELAYS_MS } from './events/received-event.js';
export { connectMessaging, MessagingModule } from './messaging.module.js';
export {
  inboxPrefix,
  MESSAGING_OPTIONS,
  type MessagingConfig,
  type MessagingModuleOptions,
  NatsConnection,
} from './nats-connection.js';
export { NatsStrategy } from './nats-strategy.js';
export { type NoticeListener, Notices } from './notices.js';
export { OutboxRelay, type OutboxRelayOptions } from './outbox/outbox-relay.js';
export { RevocationPublisher, RevocationWatch } from './revocation/revocation-watch.js';
export { type CallOptions, Rpc } from './rpc/rpc.js';
export { ContractPipe, RpcContext, RpcHandler } from './rpc/rpc-handler.js';
export { type RpcMethod, RpcServer } from './rpc/rpc-server.js';
export {
  type NatsServerOptions,
  natsServerConfig,
  passwordVariable,
  sampleServerConfig,
} from './server/nats-server-config.js';
export { NATS_USERS, type NatsUser, type Permissions, permissionsOf } from './server/permissions.js';
export {
  type ProvisioningConnection,
  provisionStreams,
  type Rewound,
  rewindConsumer,
} from './server/provision-streams.js';
export { TenantDirectory } from './tenant-directory.js';
