import { type AuthenticatedCall, type Principal, Public, type RequestContext } from '@crm/access';
import {
  type Audience,
  PlatformError,
  type RpcContract,
  type RpcRequest,
  type RpcResponse,
  type ServiceName,
} from '@crm/contracts';
import { type ArgumentMetadata, applyDecorators, type PipeTransform, SetMetadata, UsePipes } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { requirePayload } from '../require-payload.js';

/** Validates the payload of a call against the schema of its contract; `@RpcHandler` binds it. */
export class ContractPipe implements PipeTransform {
  private compiled: Validator | undefined;

  constructor(private readonly schema: TSchema) {}

  /** @throws PlatformError VALIDATION_FAILED with a pointer to each wrong value */
  transform(value: unknown, { type, data }: ArgumentMetadata): unknown {
    if (type !== 'body') return value;
    if (data !== undefined) throw new Error(`@Payload('${data}') would not be validated: use the whole payload`);
    return this.check(value);
  }

  /** The same validation outside Nest's chain. */
  check(request: unknown): unknown {
    // Compiled on the first call: services start faster, and tests use few contracts.
    this.compiled ??= Compile(this.schema);
    if (this.compiled.Check(request)) return request;
    const errors = this.compiled.Errors(request).map((problem) => ({
      pointer: problem.instancePath,
      code: 'INVALID_VALUE',
      detail: problem.message,
    }));
    throw new PlatformError('VALIDATION_FAILED', undefined, { errors });
  }
}

/**
 * The context of a call: `@Ctx()` injects it into a handler, and `switchToRpc().getContext()` returns it in guards, pipes,
 * interceptors and filters. For a guard it has the same shape as an HTTP request.
 */
export class RpcContext implements AuthenticatedCall {
  /** On whose behalf the call is made; set by the guard when the contract requires `user`. */
  principal?: Principal;

  /**
   * @param contract the called contract
   * @param caller the service that called, identified by the inbox that receives the reply
   * @param callContext the request that the call is part of
   * @param audiences a token of the call must have one of them
   * @param headers with the caller's token, if it sent one
   */
  constructor(
    readonly contract: RpcContract,
    readonly caller: ServiceName,
    readonly callContext: RequestContext,
    readonly audiences: readonly Audience[],
    readonly headers: { readonly authorization?: string | undefined },
  ) {}
}

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
