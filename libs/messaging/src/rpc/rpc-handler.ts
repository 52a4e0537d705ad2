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

/** What `@Ctx()` injects and `switchToRpc().getContext()` returns; for a guard it has the shape of an HTTP request. */
export class RpcContext implements AuthenticatedCall {
  /** On whose behalf the call is made; set by the guard when the contract requires `user`. */
  principal?: Principal;

  /** @param caller identified by the inbox that receives the reply */
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
 * Nest's `MessagePattern`, with a pipe that checks requests against the contract. `principal: 'user'` needs `@Access`;
 * one with `service` is `@Public`: the broker lets only its callers publish. A lone undecorated parameter is the payload.
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
