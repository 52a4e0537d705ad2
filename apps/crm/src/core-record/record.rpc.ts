import { Access, authorize, CurrentPrincipal } from '@crm/access';
import type { Principal } from '@crm/context';
import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { stepCall } from '@crm/idempotency';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { CORE_OBJECT_DEFINITIONS } from '../core-object/core-objects.js';
import { RecordService } from './record.service.js';

/** Which scope a narrowed token needs is known with the object: the handler asks for it. */
const WRITE = { right: 'write', app: true, embed: true } as const;

/** Core records for the other services: the same rules, permissions included, as over HTTP. */
@Controller()
export class RecordRpc {
  constructor(private readonly records: RecordService) {}

  @RpcHandler(rpc.crm.createCoreRecord)
  @Access(WRITE)
  async create(
    @Payload() request: RpcRequest<typeof rpc.crm.createCoreRecord>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<typeof rpc.crm.createCoreRecord>> {
    const definition = CORE_OBJECT_DEFINITIONS[request.object];
    authorize(principal, { right: 'write', scope: definition.scope });
    const route = `${rpc.crm.createCoreRecord.subject} ${request.object}`;
    const call = stepCall(principal, route, request.idempotencyKey, request.values);
    const record = await this.records.create(definition, principal, request.values, call);
    return { id: record.id };
  }

  @RpcHandler(rpc.crm.updateCoreRecord)
  @Access(WRITE)
  async update(
    @Payload() request: RpcRequest<typeof rpc.crm.updateCoreRecord>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<typeof rpc.crm.updateCoreRecord>> {
    const definition = CORE_OBJECT_DEFINITIONS[request.object];
    authorize(principal, { right: 'write', scope: definition.scope });
    const record = await this.records.update(definition, principal, request.id, request.values);
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
