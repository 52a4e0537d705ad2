import type { Principal } from '@crm/access';
import type { RpcRequest, rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { RecentProof } from '../sessions/proof.service.js';

/** Changes of the secrets of hooks, which automation-hooks carries out once they are admitted here. */
@Injectable()
export class HookSecretActService {
  constructor(
    private readonly database: Database,
    private readonly proof: RecentProof,
    private readonly trail: AuditTrail,
  ) {}

  /**
   * A new secret outlives the token that asked for it; ending one must be possible in a hurry.
   * @throws PlatformError STEP_UP_REQUIRED
   */
  async admit(
    principal: Principal,
    { act, workflowId, overlapSeconds }: RpcRequest<typeof rpc.identity.admitHookSecretAct>,
  ): Promise<void> {
    await this.database.transaction(principal, async (tx) => {
      if (act === 'issued') await this.proof.assertWithin(tx, principal);
      this.trail.record(tx, {
        action: `hook_secret.${act}`,
        subject: { kind: 'workflow', id: workflowId },
        ...(overlapSeconds !== undefined && { detail: { overlapSeconds } }),
      });
    });
  }
}
