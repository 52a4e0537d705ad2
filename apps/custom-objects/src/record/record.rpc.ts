import { Access, authorize, CurrentPrincipal, type Principal } from '@crm/access';
import { CORE_OBJECTS, type CoreObject, type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { stepCall } from '@crm/database';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { RecordService } from './record.service.js';

type Contracts = typeof rpc.customObjects;

/** The scope depends on the object, so the handler requires it. */
const WRITE = { right: 'write', app: true, embed: true } as const;

/** Workflow runs write records with the rights of the workflow's author or installation. */
@Controller()
export class RecordRpc {
  constructor(private readonly records: RecordService) {}

  @RpcHandler(rpc.customObjects.createRecord)
  @Access(WRITE)
  async create(
    @Payload() { object, values, idempotencyKey }: RpcRequest<Contracts['createRecord']>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<Contracts['createRecord']>> {
    requireScope(principal, object);
    const route = `${rpc.customObjects.createRecord.subject} ${object}`;
    const call = stepCall(principal, route, idempotencyKey, values);
    const { id } = await this.records.create(principal, object, values, call);
    return { id };
  }

  @RpcHandler(rpc.customObjects.updateRecord)
  @Access(WRITE)
  async update(
    @Payload() { object, id, values }: RpcRequest<Contracts['updateRecord']>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<Contracts['updateRecord']>> {
    requireScope(principal, object);
    await this.records.update(principal, object, id, values, null);
    return { id };
  }
}

/** @throws INSUFFICIENT_SCOPE when the caller's token is narrowed to scopes without that of the object */
function requireScope(principal: Principal, object: string): void {
  const scope = Object.hasOwn(CORE_OBJECTS, object) ? CORE_OBJECTS[object as CoreObject].scope : 'custom_objects';
  authorize(principal, { right: 'write', scope });
}
