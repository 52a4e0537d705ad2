import type { KeySource } from '@crm/access';
import type {
  AccessTokenClaims,
  RpcContract,
  RpcRequest,
  RpcResponse,
  ServiceName,
  StatefulService,
} from '@crm/contracts';
import type { DatabaseConfig, MigrationClass } from '@crm/database';
import type { DynamicModule, Type } from '@nestjs/common';

export interface TestDatabase {
  config: DatabaseConfig;
  ownerUrl: string;
  drop(): Promise<void>;
}
export declare function testDatabase(
  service: StatefulService,
  migrations: readonly MigrationClass[],
): Promise<TestDatabase>;
export declare function testNats(): { url: string; passwords: Readonly<Record<ServiceName | 'provisioner', string>> };
export declare function testTokens(): {
  keySource: KeySource;
  sign(claims?: Partial<AccessTokenClaims>): Promise<string>;
};
export interface TestAnswer<Body = unknown> {
  status: number;
  headers: Headers;
  body: Body;
}
export interface TestService {
  url: string;
  request<Body = unknown>(
    method: string,
    path: string,
    options?: { token?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<TestAnswer<Body>>;
  get<T>(token: Type<T>): T;
  close(): Promise<void>;
}
export declare function startTestService(
  config: { service: object },
  module: DynamicModule,
  overrides?: { keySource?: KeySource },
): Promise<TestService>;
export declare function answerRpc<C extends RpcContract>(
  contract: C,
  handler: (request: RpcRequest<C>) => RpcResponse<C> | Promise<RpcResponse<C>>,
): Promise<{ close(): Promise<void> }>;
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  receivedAt: Date;
}
export interface Receiver {
  url: string;
  ca: string;
  requests: ReceivedRequest[];
  waitFor(predicate: (request: ReceivedRequest) => boolean, timeoutMs?: number): Promise<ReceivedRequest>;
  respondWith(
    respond: (request: ReceivedRequest) => { status: number; headers?: Record<string, string>; body?: string },
  ): void;
  close(): Promise<void>;
}
export declare function startReceiver(options?: { tls?: boolean }): Promise<Receiver>;
export declare function waitUntil(
  condition: () => boolean | Promise<boolean>,
  options?: { timeoutMs?: number; describe?: string },
): Promise<void>;
