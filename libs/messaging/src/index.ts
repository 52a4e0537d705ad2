import type { Principal, RevocationSource } from '@crm/access';
import type {
  AccessTokenClaims,
  ConsumerDefinition,
  EventName,
  Revocation,
  RpcContract,
  RpcRequest,
  RpcResponse,
  ServiceName,
} from '@crm/contracts';
import type { NatsConnection as Connection } from '@nats-io/nats-core';
import type { DynamicModule } from '@nestjs/common';

export interface MessagingConfig {
  url: string;
  user: string;
  password: string;
  service: ServiceName;
}
export declare class MessagingModule {
  static forService(options: { config: MessagingConfig; outbox?: boolean }): DynamicModule;
}
export interface RpcContext {
  principal?: Principal;
  requestId: string;
  caller: string;
}
export declare class Rpc {
  call<C extends RpcContract>(
    contract: C,
    request: RpcRequest<C>,
    options?: { token?: string },
  ): Promise<RpcResponse<C>>;
}
export declare function RpcHandler(contract: RpcContract): MethodDecorator;
export declare function EventHandler(
  consumer: ConsumerDefinition,
  events: EventName | readonly EventName[] | 'all',
): MethodDecorator;
export declare class OutboxRelay {}
export declare class RevocationWatch implements RevocationSource {
  readonly ready: boolean;
  isRevoked(claims: AccessTokenClaims): boolean;
}
export declare class RevocationPublisher {
  publish(revocation: Revocation): Promise<void>;
}
export declare class NatsConnection {
  readonly connection: Connection;
  ping(): Promise<void>;
}
export declare function natsServerConfig(options: {
  port: number;
  storeDir: string;
  passwords: Readonly<Record<ServiceName | 'provisioner', string>>;
  host: string;
}): string;
export declare function provisionStreams(
  connection: { url: string; user: string; password: string },
  options: { replicas: number },
): Promise<void>;
