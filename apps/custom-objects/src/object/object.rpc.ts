import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { type RpcContext, RpcHandler, requireRight } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import type { DeclaredObject } from './custom-object.js';
import { ObjectService } from './object.service.js';

type Contracts = typeof rpc.customObjects;

/** Asked on behalf of an administrator. */
const ADMINISTER = { right: 'administer' } as const;

/** Objects come and go with installations. */
@Injectable()
export class ObjectRpc {
  constructor(private readonly objects: ObjectService) {}

  @RpcHandler(rpc.customObjects.provisionObjects)
  async provision(
    request: RpcRequest<Contracts['provisionObjects']>,
    context: RpcContext,
  ): Promise<RpcResponse<Contracts['provisionObjects']>> {
    const { tenantId } = requireRight(context, ADMINISTER);
    const objects = await this.objects.provision(tenantId, {
      ...request,
      objects: request.objects as unknown as DeclaredObject[],
    });
    return { objects };
  }

  @RpcHandler(rpc.customObjects.removeObjects)
  async remove(request: RpcRequest<Contracts['removeObjects']>): Promise<RpcResponse<Contracts['removeObjects']>> {
    return { removed: await this.objects.remove(request.tenantId, request.installationId, request.discard) };
  }
}
