import type { Principal } from '@crm/access';
import { PlatformError, type RpcRequest, type RpcResponse, rolesAllow, rpc, scopeAllows } from '@crm/contracts';
import { type RpcContext, RpcHandler } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { RecordService } from './record.service.js';

type Contracts = typeof rpc.customObjects;

/** Workflow runs write records with the rights of the workflow's author or installation. */
@Injectable()
export class RecordRpc {
  constructor(private readonly records: RecordService) {}

  @RpcHandler(rpc.customObjects.createCustomRecord)
  async create(
    { apiName, values, idempotencyKey }: RpcRequest<Contracts['createCustomRecord']>,
    context: RpcContext,
  ): Promise<RpcResponse<Contracts['createCustomRecord']>> {
    const { record } = await this.records.create(permitted(context), apiName, values, idempotencyKey);
    return { id: record.id };
  }

  @RpcHandler(rpc.customObjects.updateCustomRecord)
  async update(
    { apiName, id, values }: RpcRequest<Contracts['updateCustomRecord']>,
    context: RpcContext,
  ): Promise<RpcResponse<Contracts['updateCustomRecord']>> {
    const { record } = await this.records.update(permitted(context), apiName, id, values, null);
    return { id: record.id };
  }
}

function permitted({ principal }: RpcContext): Principal {
  if (!principal || !rolesAllow(principal.roles, 'write')) throw new PlatformError('FORBIDDEN');
  if (!scopeAllows(principal.scopes, 'custom_objects', 'write')) throw new PlatformError('INSUFFICIENT_SCOPE');
  return principal;
}
