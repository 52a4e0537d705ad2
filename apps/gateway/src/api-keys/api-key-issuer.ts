import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';

export type KeyPresented = RpcRequest<typeof rpc.identity.exchangeApiKey>;
export type TokenOfKey = RpcResponse<typeof rpc.identity.exchangeApiKey>;

/** Where API keys are exchanged for access tokens. */
export abstract class ApiKeyIssuer {
  /** @throws PlatformError INVALID_API_KEY, SERVICE_UNAVAILABLE, DEADLINE_EXCEEDED */
  abstract exchange(presented: KeyPresented): Promise<TokenOfKey>;
}

/** identity, over NATS. */
@Injectable()
export class IdentityApiKeyIssuer extends ApiKeyIssuer {
  constructor(private readonly rpcs: Rpc) {
    super();
  }

  override exchange(presented: KeyPresented): Promise<TokenOfKey> {
    return this.rpcs.call(rpc.identity.exchangeApiKey, presented);
  }
}
