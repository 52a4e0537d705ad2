import { PlatformError, type RpcRequest, type RpcResponse, rolesAllow, rpc } from '@crm/contracts';
import { type RpcContext, RpcHandler } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import type { DeclaredObject } from './custom-object.js';
import { ObjectService } from './object.service.js';

type Contracts = typeof rpc.customObjects;

/** Objects come and go with installations; the marketplace asks on behalf of an administrator. */
@Injectable()
export class ObjectRpc {
  constructor(private readonly objects: ObjectService) {}

  @RpcHandler(rpc.customObjects.provisionObjects)
  async provision(
    request: RpcRequest<Contracts['provisionObjects']>,
    context: RpcContext,
  ): Promise<RpcResponse<Contracts['provisionObjects']>> {
    const objects = await this.objects.provision(administeredTenant(context), {
      ...request,
      objects: request.objects as unknown as DeclaredObject[],
    });
    return { objects };
  }

  @RpcHandler(rpc.customObjects.removeObjects)
  async remove(
    request: RpcRequest<Contracts['removeObjects']>,
    context: RpcContext,
  ): Promise<RpcResponse<Contracts['removeObjects']>> {
    const { installationId, discard } = request;
    return { removed: await this.objects.remove(administeredTenant(context), installationId, discard) };
  }
}

function administeredTenant({ principal }: RpcContext): string {
  if (!principal || !rolesAllow(principal.roles, 'administer')) throw new PlatformError('FORBIDDEN');
  return principal.tenantId;
}
