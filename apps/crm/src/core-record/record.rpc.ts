import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { stepCall } from '@crm/idempotency';
import { type RpcContext, RpcHandler, requireRight } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { CORE_OBJECT_DEFINITIONS } from './core-objects.js';
import { RecordService } from './record.service.js';

/** Core records for the other services: the same rules, permissions included, as over HTTP. */
@Injectable()
export class RecordRpc {
  constructor(private readonly records: RecordService) {}

  @RpcHandler(rpc.crm.createCoreRecord)
  async create(
    request: RpcRequest<typeof rpc.crm.createCoreRecord>,
    context: RpcContext,
  ): Promise<RpcResponse<typeof rpc.crm.createCoreRecord>> {
    const definition = CORE_OBJECT_DEFINITIONS[request.object];
    const principal = requireRight(context, { right: 'write', scope: definition.scope });
    const route = `${rpc.crm.createCoreRecord.subject} ${request.object}`;
    const call = stepCall(principal, route, request.idempotencyKey, request.values);
    const record = await this.records.create(definition, principal.tenantId, request.values, call);
    return { id: record.id };
  }

  @RpcHandler(rpc.crm.updateCoreRecord)
  async update(
    request: RpcRequest<typeof rpc.crm.updateCoreRecord>,
    context: RpcContext,
  ): Promise<RpcResponse<typeof rpc.crm.updateCoreRecord>> {
    const definition = CORE_OBJECT_DEFINITIONS[request.object];
    const principal = requireRight(context, { right: 'write', scope: definition.scope });
    const record = await this.records.update(definition, principal.tenantId, request.id, request.values);
    return { id: record.id };
  }

  @RpcHandler(rpc.crm.findCoreRecords)
  async find(
    request: RpcRequest<typeof rpc.crm.findCoreRecords>,
  ): Promise<RpcResponse<typeof rpc.crm.findCoreRecords>> {
    const definition = CORE_OBJECT_DEFINITIONS[request.object];
    return { found: await this.records.existing(definition, request.tenantId, request.ids) };
  }
}
