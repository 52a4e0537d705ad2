import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { type RpcRequest, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { OAuthAppService, OAuthInstallationService } from './client.service.js';

@Controller()
export class OAuthClientRpc {
  constructor(
    private readonly installations: OAuthInstallationService,
    private readonly apps: OAuthAppService,
  ) {}

  @RpcHandler(rpc.identity.registerOAuthInstallation)
  async register(request: RpcRequest<typeof rpc.identity.registerOAuthInstallation>): Promise<object> {
    await this.installations.register(request);
    return {};
  }

  @RpcHandler(rpc.identity.endOAuthInstallation)
  async end(request: RpcRequest<typeof rpc.identity.endOAuthInstallation>): Promise<object> {
    await this.installations.end(request);
    return {};
  }

  @RpcHandler(rpc.identity.issueOAuthCredentials)
  @Access({ right: 'administer', proof: true })
  async issue(
    @Payload() request: RpcRequest<typeof rpc.identity.issueOAuthCredentials>,
    @CurrentPrincipal() principal: Principal,
  ) {
    return this.installations.issue(principal, request);
  }

  @RpcHandler(rpc.identity.describeOAuthCredentials)
  @Access({ right: 'administer', proof: false })
  async describe(
    @Payload() { installationId }: RpcRequest<typeof rpc.identity.describeOAuthCredentials>,
    @CurrentPrincipal() principal: Principal,
  ) {
    return { credentials: await this.installations.describe(principal, installationId) };
  }

  @RpcHandler(rpc.identity.revokePreviousOAuthSecret)
  @Access({ right: 'administer', proof: false })
  async revokePrevious(
    @Payload() { installationId }: RpcRequest<typeof rpc.identity.revokePreviousOAuthSecret>,
    @CurrentPrincipal() principal: Principal,
  ) {
    return { revoked: await this.installations.revokePrevious(principal, installationId) };
  }

  @RpcHandler(rpc.identity.updateOAuthApp)
  async updateApp({ appKey, redirectUris }: RpcRequest<typeof rpc.identity.updateOAuthApp>): Promise<object> {
    await this.apps.update(appKey, redirectUris);
    return {};
  }

  @RpcHandler(rpc.identity.setOAuthAppStatus)
  async setAppStatus({ appKey, status }: RpcRequest<typeof rpc.identity.setOAuthAppStatus>): Promise<object> {
    await this.apps.setStatus(appKey, status);
    return {};
  }
}
