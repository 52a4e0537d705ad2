import { Access, CurrentPrincipal } from '@crm/access';
import type { Principal } from '@crm/context';
import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { stepCall } from '@crm/idempotency';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { RecordService } from './record.service.js';

type Contracts = typeof rpc.customObjects;

const WRITE = { right: 'write', scope: 'custom_objects' } as const;

/** Workflow runs write records with the rights of the workflow's author or installation. */
@Controller()
export class RecordRpc {
  constructor(private readonly records: RecordService) {}

  @RpcHandler(rpc.customObjects.createCustomRecord)
  @Access(WRITE)
  async create(
    @Payload() { apiName, values, idempotencyKey }: RpcRequest<Contracts['createCustomRecord']>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<Contracts['createCustomRecord']>> {
    const route = `${rpc.customObjects.createCustomRecord.subject} ${apiName}`;
    const call = stepCall(principal, route, idempotencyKey, values);
    const { record } = await this.records.create(principal, apiName, values, call);
    return { id: record.id };
  }

  @RpcHandler(rpc.customObjects.updateCustomRecord)
  @Access(WRITE)
  async update(
    @Payload() { apiName, id, values }: RpcRequest<Contracts['updateCustomRecord']>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<Contracts['updateCustomRecord']>> {
    const { record } = await this.records.update(principal, apiName, id, values, null);
    return { id: record.id };
  }
}
