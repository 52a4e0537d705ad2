import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { type RpcRequest, rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { RecentProof } from '../sessions/proof.service.js';

/** Changes of the secrets of hooks, which automation-hooks carries out once they are admitted here. */
@Controller()
export class HookSecretActRpc {
  constructor(
    private readonly database: Database,
    private readonly proof: RecentProof,
    private readonly trail: AuditTrail,
  ) {}

  @RpcHandler(rpc.identity.admitHookSecretAct)
  @Access({ right: 'administer' })
  async admit(
    @Payload() { act, workflowId, overlapSeconds }: RpcRequest<typeof rpc.identity.admitHookSecretAct>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<object> {
    await this.database.transaction(principal, async (tx) => {
      // A new secret outlives the token that asked for it; ending one must be possible in a hurry.
      if (act === 'issued') await this.proof.assertWithin(tx, principal);
      this.trail.record(tx, {
        action: `hook_secret.${act}`,
        subject: { kind: 'workflow', id: workflowId },
        ...(overlapSeconds !== undefined && { detail: { overlapSeconds } }),
      });
    });
    return {};
  }
}
