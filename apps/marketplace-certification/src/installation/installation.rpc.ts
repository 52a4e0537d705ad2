import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { OfferService } from './offer.service.js';

type IsAppKnown = typeof rpc.marketplace.isAppKnown;
type ListRoles = typeof rpc.marketplace.listRoles;
type ListSandboxes = typeof rpc.marketplace.listSandboxes;

@Controller()
export class InstallationRpc {
  constructor(private readonly offers: OfferService) {}

  /** custom-objects asks this when an administrator shares an object with an app. */
  @RpcHandler(rpc.marketplace.isAppKnown)
  @Access({ right: 'administer', proof: false })
  async isKnown(
    @Payload() { appKey }: RpcRequest<IsAppKnown>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<IsAppKnown>> {
    return { known: await this.offers.isKnown(principal, appKey) };
  }

  /** webhook-dispatcher asks this when a developer listens to the deliveries of an app. */
  @RpcHandler(rpc.marketplace.listSandboxes)
  @Access({ right: 'administer', proof: false })
  async listSandboxes(
    @Payload() { appKey }: RpcRequest<ListSandboxes>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<ListSandboxes>> {
    return { installationIds: await this.offers.listSandboxes(principal, appKey) };
  }

  /** identity asks this when roles are given and listed. */
  @RpcHandler(rpc.marketplace.listRoles)
  async listRoles({ tenantId }: RpcRequest<ListRoles>): Promise<RpcResponse<ListRoles>> {
    return { roles: await this.offers.listRoles(tenantId) };
  }
}
