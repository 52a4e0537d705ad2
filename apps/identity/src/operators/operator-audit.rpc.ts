import { Access } from '@crm/access';
import { type OperatorAuditPage, type RpcRequest, rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import { RpcHandler } from '@crm/messaging';
import { listOperatorAudit } from '@crm/operator-audit';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { PLATFORM_TENANT } from '../platform-tenant.js';

/** This service's part of the trail of operators. The contract accepts tokens of operators only. */
@Controller()
export class OperatorAuditRpc {
  constructor(private readonly database: Database) {}

  @RpcHandler(rpc.identity.listOperatorAudit)
  @Access({ right: 'administer' })
  list(@Payload() query: RpcRequest<typeof rpc.identity.listOperatorAudit>): Promise<OperatorAuditPage> {
    return this.database.transaction(PLATFORM_TENANT, (tx) => listOperatorAudit(tx, query));
  }
}
