import { Access } from '@crm/access';
import { type OperatorAuditPage, type RpcRequest, rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import { RpcHandler } from '@crm/messaging';
import { listOperatorAudit } from '@crm/operator-audit';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';

/** This service's part of the trail of operators. The contract accepts tokens of operators only. */
@Controller()
export class OperatorAuditRpc {
  constructor(private readonly database: Database) {}

  @RpcHandler(rpc.marketplace.listOperatorAudit)
  @Access({ right: 'administer' })
  list(@Payload() query: RpcRequest<typeof rpc.marketplace.listOperatorAudit>): Promise<OperatorAuditPage> {
    return this.database.crossTenant((tx) => listOperatorAudit(tx, query));
  }
}
