import type { Principal } from '@crm/context';
import type { RpcContract, RpcRequest, RpcResponse, ServiceName } from '@crm/contracts';
import { SetMetadata } from '@nestjs/common';

export const RPC_CONTRACT = 'crm:rpc-contract';

/** What the server knows of a call besides its request. */
export interface RpcContext {
  /** Whom the call is made for; present when the contract says `user`. */
  readonly principal?: Principal;
  readonly requestId: string;
  /** The service that called, known by the inbox it receives the reply in. */
  readonly caller: ServiceName;
}

type Handler<C extends RpcContract> = (request: RpcRequest<C>, context: RpcContext) => Promise<RpcResponse<C>>;

/**
 * Makes a method of a provider answer a contract of this service: it gets a request that matches the contract's schema and
 * the verified principal, and returns the response or throws a PlatformError.
 */
export function RpcHandler<C extends RpcContract>(contract: C) {
  return <T extends Handler<C>>(target: object, key: string | symbol, descriptor: TypedPropertyDescriptor<T>): void => {
    SetMetadata(RPC_CONTRACT, contract)(target, key, descriptor as TypedPropertyDescriptor<unknown>);
  };
}
