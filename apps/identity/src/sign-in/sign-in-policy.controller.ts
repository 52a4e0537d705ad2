import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { Database } from '@crm/database';
import { ApiGroup, Describe } from '@crm/http';
import { Body, Controller, Get, Put } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { SignInPolicyRepository } from '../people/sign-in-policy.repository.js';
import { SignInPolicyInput, SignInPolicyView } from './sign-in.dto.js';

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/tenant/sign-in-policy')
export class SignInPolicyController {
  constructor(
    private readonly database: Database,
    private readonly policies: SignInPolicyRepository,
    private readonly trail: AuditTrail,
  ) {}

  @Get()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Get the sign-in policy',
    description: 'Whether two-step verification is optional or required.',
    answers: [{ status: 200, description: 'The policy', body: () => SignInPolicyView }],
  })
  async get(@CurrentPrincipal() principal: Principal): Promise<SignInPolicyView> {
    return { secondFactor: await this.database.transaction(principal.tenantId, (tx) => this.policies.get(tx)) };
  }

  @Put()
  @Access({ right: 'own', proof: true })
  @Describe({
    summary: 'Set the sign-in policy',
    description:
      'With `required`, users without two-step verification set up an authenticator app at their next sign-in before they get tokens. Open sessions stay.',
    answers: [{ status: 200, description: 'The policy', body: () => SignInPolicyView }],
  })
  async set(@CurrentPrincipal() principal: Principal, @Body() input: SignInPolicyInput): Promise<SignInPolicyView> {
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
