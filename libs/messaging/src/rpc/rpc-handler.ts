import { Public } from '@crm/access';
import type { RpcContract, RpcRequest, RpcResponse } from '@crm/contracts';
import { applyDecorators, SetMetadata, UsePipes } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import { requirePayload } from '../require-payload.js';
import { ContractPipe } from './contract.pipe.js';

export const RPC_CONTRACT = 'crm:rpc-contract';

/** The payload comes first; parameter decorators bind the others. */
type Handler<C extends RpcContract> = (request: RpcRequest<C>, ...bound: never[]) => Promise<RpcResponse<C>>;

/**
 * Makes a method of a controller answer a contract of this service: Nest's `MessagePattern` of the contract's subject,
 * with a pipe that rejects requests that do not match the contract. The method returns the response or throws a
 * PlatformError, which the caller receives.
 *
 * A contract with `principal: 'user'` needs `@Access` as a route does. One with `principal: 'service'` is `@Public`: it
 * has no token, and the broker lets only its callers publish to its subject.
 *
 * Parameters: `@Payload()`, `@CurrentPrincipal()` and `@Ctx()` (an {@link RpcContext}); a single parameter without a
 * decorator is the payload.
 */
export function RpcHandler<C extends RpcContract>(contract: C) {
  return <T extends Handler<C>>(target: object, key: string | symbol, descriptor: TypedPropertyDescriptor<T>): void => {
    requirePayload(target, key, descriptor.value);
    applyDecorators(
      MessagePattern(contract.subject, { contract }),
      UsePipes(new ContractPipe(contract.request)),
      SetMetadata(RPC_CONTRACT, contract),
      ...(contract.principal === 'service' ? [Public()] : []),
    )(target, key, descriptor);
  };
}
