import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { Database } from '@crm/database';
import { ApiGroup, Describe } from '@crm/http';
import { Body, Controller, Get, Put } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../../api-groups.js';
import { AuditTrail } from '../../audit/trail/audit-trail.service.js';
import { RecentProof } from '../../sessions/session/recent-proof.js';
import { SignInPolicyInput, SignInPolicyView } from './sign-in-policy.dto.js';
import { SignInPolicyRepository } from './sign-in-policy.repository.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/tenant/sign-in-policy')
export class SignInPolicyController {
  constructor(
    private readonly database: Database,
    private readonly policies: SignInPolicyRepository,
    private readonly proof: RecentProof,
    private readonly trail: AuditTrail,
  ) {}

  @Get()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Returns what the workspace demands of sign-ins',
    description: 'Whether a second factor is optional or required.',
    answers: [{ status: 200, description: 'The policy', body: () => SignInPolicyView }],
  })
  async get(@CurrentPrincipal() principal: Principal): Promise<SignInPolicyView> {
    return { secondFactor: await this.database.transaction(principal.tenantId, (tx) => this.policies.get(tx)) };
  }

  @Put()
  @Access({ right: 'own' })
  @Describe({
    summary: 'Sets what the workspace demands of sign-ins',
    description:
      'With `required`, a user without a second factor sets up an authenticator at their next sign-in before they get tokens; open sessions go on. For owners who have proven their password or second factor in the last ten minutes.',
    answers: [{ status: 200, description: 'The policy', body: () => SignInPolicyView }],
    errors: ['STEP_UP_REQUIRED'],
  })
  async set(@CurrentPrincipal() principal: Principal, @Body() input: SignInPolicyInput): Promise<SignInPolicyView> {
    await this.proof.assert(principal);
    await this.database.transaction(principal, async (tx) => {
      await this.policies.set(tx, input.secondFactor);
      this.trail.record(tx, {
        action: 'workspace.sign_in_policy_changed',
        subject: { kind: 'workspace', id: tx.tenantId },
        detail: { secondFactor: input.secondFactor },
      });
    });
    return { secondFactor: input.secondFactor };
  }
}
