import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { AppSecretService } from './app-secret.service.js';

type Contracts = typeof rpc.webhooks;

/** The marketplace calls this when a developer rotates the secret of an app. */
@Controller()
export class AppSecretRpc {
  constructor(private readonly appSecrets: AppSecretService) {}

  @RpcHandler(rpc.webhooks.rotateAppSecret)
  async rotate({
    appKey,
    secret,
  }: RpcRequest<Contracts['rotateAppSecret']>): Promise<RpcResponse<Contracts['rotateAppSecret']>> {
    return { updated: (await this.appSecrets.rotate(appKey, secret)) ? 1 : 0 };
  }
}
