import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { ApiGroup, Describe, EnumField } from '@crm/http';
import { Body, Controller, Get, Inject, Injectable, Put } from '@nestjs/common';
import { SIGN_IN_GROUP } from '../api-groups.js';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { SignInPolicyRepository } from './factor.repository.js';
import { LOCAL_PASSWORD_POLICIES, type LocalPasswordPolicy } from './sign-in.entity.js';

/** Decides whether administrators may choose passwords for the users that they add. */
@Injectable()
export class LocalPasswords {
  /** True when a password that an administrator chose is replaced at the first sign-in. */
  readonly areInitial: boolean;

  constructor(
    private readonly database: Database,
    private readonly policies: SignInPolicyRepository,
    private readonly trail: AuditTrail,
    @Inject(IDENTITY_CONFIG) config: IdentityConfig,
  ) {
    this.areInitial = config.service.profile === 'production';
  }

  async policy(tenantId: string): Promise<LocalPasswordPolicy> {
    const chosen = await this.database.transaction(tenantId, (tx) => this.policies.localPasswords(tx));
    return chosen ?? (this.areInitial ? 'refused' : 'allowed');
  }

  async set(principal: Principal, policy: LocalPasswordPolicy): Promise<void> {
    await this.database.transaction(principal, async (tx) => {
      await this.policies.setLocalPasswords(tx, policy);
      this.trail.record(tx, {
        action: 'workspace.sign_in_policy_changed',
        subject: { kind: 'workspace', id: tx.tenantId },
        detail: { localPasswords: policy },
      });
    });
  }

  /** @throws PlatformError LOCAL_PASSWORDS_REFUSED */
  async assertAllowed(tenantId: string): Promise<void> {
    if ((await this.policy(tenantId)) === 'refused') throw new PlatformError('LOCAL_PASSWORDS_REFUSED');
  }
}

export class LocalPasswordsInput {
  @EnumField(LOCAL_PASSWORD_POLICIES, { description: 'Whether users can be added with a password' })
  localPasswords: LocalPasswordPolicy;
}

export class LocalPasswordsView extends LocalPasswordsInput {}

@ApiGroup(SIGN_IN_GROUP)
@Controller('api/tenant/sign-in-policy/local-passwords')
export class LocalPasswordsController {
  constructor(private readonly passwords: LocalPasswords) {}

  @Get()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Get the password policy',
    description:
      'Whether admins can add users with a password. If not, users are invited. In production it is off until an owner turns it on.',
    answers: [{ status: 200, description: 'The policy', body: () => LocalPasswordsView }],
  })
  async get(@CurrentPrincipal() { tenantId }: Principal): Promise<LocalPasswordsView> {
    return { localPasswords: await this.passwords.policy(tenantId) };
  }

  @Put()
  @Access({ right: 'own', proof: true })
  @Describe({
    summary: 'Set the password policy',
    description:
      'In production, such a password works for one sign-in, which replaces it. Existing passwords keep working.',
    answers: [{ status: 200, description: 'The policy', body: () => LocalPasswordsView }],
  })
  async set(
    @CurrentPrincipal() principal: Principal,
    @Body() { localPasswords }: LocalPasswordsInput,
  ): Promise<LocalPasswordsView> {
    await this.passwords.set(principal, localPasswords);
    return { localPasswords };
  }
}
