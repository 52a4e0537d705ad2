import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { assertQuotaLeft, Database, inWorkspace, type QuotaRule } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { notingRefusal, RefusedActs } from '../audit/refused-acts.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { normaliseEmail } from '../people/email-address.js';
import { SignInPolicyRepository } from '../people/sign-in-policy.repository.js';
import { assertVerified, TenantService } from '../people/tenant.service.js';
import { USER_QUOTA } from '../people/user.service.js';
import { DomainService } from '../single-sign-on/domain.service.js';

/** Whether a workspace may add a user now. */
@Injectable()
export class UserAdmissionService {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantService,
    private readonly signInPolicies: SignInPolicyRepository,
    private readonly domains: DomainService,
    private readonly refusals: RefusedActs,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /** Before a password is hashed. @returns the quota to take @throws PlatformError EMAIL_NOT_VERIFIED, RATE_LIMITED */
  async admit(principal: Principal): Promise<QuotaRule> {
    const { tenantId } = principal;
    return this.database.transaction(tenantId, async (tx) => {
      const tenant = await this.tenants.view(tx);
      assertVerified(tenant);
      const limit = this.config.quotas.users[tenant.plan];
      const quota = { ...USER_QUOTA, limit };
      await this.noting(principal, quota, () => assertQuotaLeft(tx, tenantId, quota));
      return quota;
    });
  }

  /** Notes that the quota has refused the work. */
  async noting<T>(principal: Principal, quota: QuotaRule, work: () => Promise<T>): Promise<T> {
    return notingRefusal(this.refusals, principal, quota, work);
  }

  /** Someone whom no provider of the workspace can know would accept the invitation in vain. @throws PlatformError VALIDATION_FAILED */
  async assertCanSignIn(tenantId: string, email: string, roles: readonly string[]): Promise<void> {
    // Owners sign in by a password.
    if (roles.includes('owner')) return;
    const isKnowable = await inWorkspace(
      this.database,
      tenantId,
      async (tx) =>
        !(await this.signInPolicies.requiresSingleSignOn(tx, tenantId)) ||
        (await this.domains.covers(tx, tenantId, normaliseEmail(email))),
    );
    if (isKnowable) return;
    const detail = 'The workspace requires single sign-on. Use an address of one of its verified domains';
    const errors = [{ pointer: '/email', code: 'SINGLE_SIGN_ON_REQUIRED', detail }];
    throw new PlatformError('VALIDATION_FAILED', undefined, { errors });
  }
}
