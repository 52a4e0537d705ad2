import type { AuthenticatedCall } from '@crm/access';
import type { Principal } from '@crm/context';
import type { Audience, RpcContract, ServiceName } from '@crm/contracts';

/**
 * What is known of a call besides its request: what `@Ctx()` gives a handler, and what `switchToRpc().getContext()` gives
 * guards, pipes, interceptors and filters. To a guard it looks like an HTTP request.
 */
export class RpcContext implements AuthenticatedCall {
  /** Whom the call is made for; set by the guard when the contract says `user`. */
  principal?: Principal;

  /**
   * @param contract what is called
   * @param caller the service that called, known by the inbox it receives the reply in
   * @param requestId of the request that the call is part of
   * @param audiences a token of the call must have one of them
   * @param headers with the caller's token, when it sent one
   */
  constructor(
    readonly contract: RpcContract,
    readonly caller: ServiceName,
    readonly requestId: string,
    readonly audiences: readonly Audience[],
    readonly headers: { readonly authorization?: string | undefined },
  ) {}
}
