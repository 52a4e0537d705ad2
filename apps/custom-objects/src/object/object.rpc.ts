import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { ObjectService } from './object.service.js';
import type { DeclaredObject } from './object-definition.js';

type Contracts = typeof rpc.customObjects;
type FieldsOfRoles = Contracts['listFieldsOfRoles'];

/** Called on behalf of an administrator. */
const ADMINISTER = { right: 'administer', proof: false } as const;

/** Objects are created and removed with installations. */
@Controller()
export class ObjectRpc {
  constructor(private readonly objects: ObjectService) {}

  @RpcHandler(rpc.customObjects.provisionObjects)
  @Access(ADMINISTER)
  async provision(
    @Payload() request: RpcRequest<Contracts['provisionObjects']>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<Contracts['provisionObjects']>> {
    const objects = await this.objects.provision(principal.tenantId, {
      ...request,
      objects: request.objects as unknown as DeclaredObject[],
    });
    return { objects };
  }

  @RpcHandler(rpc.customObjects.removeObjects)
  async remove(request: RpcRequest<Contracts['removeObjects']>): Promise<RpcResponse<Contracts['removeObjects']>> {
    return { removed: await this.objects.remove(request.tenantId, request.installationId, request.discard) };
  }

  /** identity asks this when roles are given and removed. */
  @RpcHandler(rpc.customObjects.listFieldsOfRoles)
  async fieldsOfRoles({ tenantId, roles, held }: RpcRequest<FieldsOfRoles>): Promise<RpcResponse<FieldsOfRoles>> {
    return { fields: await this.objects.listFieldsOfRoles(tenantId, roles, held) };
  }
}
