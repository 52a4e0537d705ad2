import { type RpcRequest, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { OAuthAppService } from './oauth-app.service.js';

@Controller()
export class OAuthAppRpc {
  constructor(private readonly apps: OAuthAppService) {}

  @RpcHandler(rpc.identity.updateOAuthApp)
  async update({ appKey, redirectUris }: RpcRequest<typeof rpc.identity.updateOAuthApp>): Promise<object> {
    await this.apps.update(appKey, redirectUris);
    return {};
  }

  @RpcHandler(rpc.identity.setOAuthAppStatus)
  async setStatus({ appKey, status }: RpcRequest<typeof rpc.identity.setOAuthAppStatus>): Promise<object> {
    await this.apps.setStatus(appKey, status);
    return {};
  }
}
