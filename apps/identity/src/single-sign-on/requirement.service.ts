import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { RecentProof } from '../sessions/proof.service.js';
import { SignInPolicyRepository } from '../sign-in/factor.repository.js';
import { DomainRepository } from './domain.repository.js';
import { IdentityProviderRepository } from './provider.repository.js';

/** Whether passwords of a workspace are refused. */
@Injectable()
export class RequirementService {
  constructor(
    private readonly database: Database,
    private readonly policies: SignInPolicyRepository,
    private readonly providers: IdentityProviderRepository,
    private readonly domains: DomainRepository,
    private readonly proof: RecentProof,
    private readonly trail: AuditTrail,
  ) {}

  async get(tenantId: string): Promise<boolean> {
    return (await this.database.transaction(tenantId, (tx) => this.policies.read(tx))).singleSignOn;
  }

  /** @throws PlatformError STEP_UP_REQUIRED, CONFLICT while nobody could sign in by a provider */
  async set(principal: Principal, required: boolean): Promise<void> {
    await this.proof.assert(principal);
    await this.database.transaction(principal, async (tx) => {
      if (required) {
        const isUsable = (await this.providers.list(tx)).some(({ enabled }) => enabled);
        if (!isUsable) throw new PlatformError('CONFLICT', 'Enable an identity provider first');
        // Held: the last domain is not removed meanwhile.
        const domains = await this.domains.lockVerified(tx, tx.tenantId);
        if (domains.length === 0) throw new PlatformError('CONFLICT', 'Prove a domain first');
      }
      await this.policies.setSingleSignOn(tx, required);
      this.trail.record(tx, {
        action: 'workspace.sign_in_policy_changed',
        subject: { kind: 'workspace', id: tx.tenantId },
        detail: { singleSignOn: required ? 'required' : 'optional' },
      });
    });
  }
}
