import type { AuthenticatedCall, Principal, RequestContext } from '@crm/access';
import type { Audience, RpcContract, ServiceName } from '@crm/contracts';

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
