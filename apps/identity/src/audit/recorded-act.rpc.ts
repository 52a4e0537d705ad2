import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { type RpcRequest, rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { AuditTrail } from './audit-trail.service.js';

/** Acts of other services, which write them here before they carry them out. */
@Controller()
export class RecordedActRpc {
  constructor(
    private readonly database: Database,
    private readonly trail: AuditTrail,
  ) {}

  /** The route of the act has decided whether a proof is needed. */
  @RpcHandler(rpc.identity.recordAct)
  @Access({ right: 'administer', key: true, proof: false })
  async record(
    @Payload() { action, subjectId, detail }: RpcRequest<typeof rpc.identity.recordAct>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<object> {
    const subject = { kind: rpc.identity.RECORDED_ACTS[action], id: subjectId };
    await this.database.transaction(principal, async (tx) => {
      this.trail.record(tx, { action, subject, ...(detail && { detail }) });
    });
    return {};
  }
}
