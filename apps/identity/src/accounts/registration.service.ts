import { type Plan, PlatformError } from '@crm/contracts';
import { Database, inWorkspace, type NarrowTransaction, newId } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail, userActor } from '../audit/audit-trail.service.js';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { EmailClaimRepository } from '../people/email.repository.js';
import { type NewTenant, TenantRepository } from '../people/tenant.repository.js';
import type { NewUser } from '../people/user.repository.js';
import { normaliseEmail, UserService } from '../people/user.service.js';
import { PasswordService } from '../sign-in/password.service.js';
import type { Claimant } from './verification.service.js';

export interface Registration {
  email: string;
  password: string;
  name: string;
  workspace: { name: string; plan?: Plan; timeZone?: string; country?: string | null };
}

export interface OpenedWorkspace {
  user: NewUser;
  tenant: NewTenant;
}

/** Opens workspaces. The tenant, its owner, the claim of the address and the event commit together or not at all. */
@Injectable()
export class RegistrationService {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantRepository,
    private readonly users: UserService,
    private readonly passwords: PasswordService,
    private readonly claims: EmailClaimRepository,
    private readonly trail: AuditTrail,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /**
   * @param claim begins to verify the address, in the transaction: the outcome is then the same whether it has an
   * account
   * @throws PlatformError PLAN_NOT_ALLOWED, VALIDATION_FAILED, SERVICE_UNAVAILABLE, EMAIL_TAKEN without a claim
   */
  async register(
    registration: Registration,
    origin: Partial<RequestOrigin> = {},
    claim?: (tx: NarrowTransaction, claimant: Claimant) => Promise<void>,
  ): Promise<OpenedWorkspace> {
    const { workspace } = registration;
    const plan = workspace.plan ?? 'developer';
    if (plan !== 'developer' && this.config.service.profile === 'production') {
      throw new PlatformError('PLAN_NOT_ALLOWED');
    }
    assertTimeZone(workspace.timeZone);
    const email = normaliseEmail(registration.email);
    const tenant: NewTenant = {
      id: newId(),
      name: workspace.name.trim(),
      plan,
      timeZone: workspace.timeZone ?? 'UTC',
      country: workspace.country ?? null,
    };
    const user: NewUser = {
      id: newId(),
      email,
      name: registration.name.trim(),
      roles: ['owner'],
      status: 'active',
      origin: 'registration',
      passwordHash: await this.passwords.hash(registration.password, origin.address),
    };
    await inWorkspace(this.database, { ...origin, tenantId: tenant.id }, async (tx) => {
      const claimant = { tenantId: tenant.id, userId: user.id, email };
      await this.tenants.insert(tx, tenant, { verified: !claim });
      if (claim) {
        await this.users.addClaimed(tx, tenant.id, user);
        await claim(tx, claimant);
      } else {
        await this.users.add(tx, tenant.id, user);
        await this.claims.endOthers(tx, email, user.id);
      }
      this.trail.record(tx, {
        action: 'workspace.registered',
        actor: userActor(user.id),
        subject: { kind: 'workspace', id: tenant.id },
        detail: { plan, verified: !claim },
      });
    });
    return { user, tenant };
  }
}

/** @throws PlatformError VALIDATION_FAILED for a name that is not in the IANA database */
function assertTimeZone(timeZone: string | undefined): void {
  if (timeZone === undefined) return;
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch (cause) {
    const detail = 'There is no such time zone';
    const errors = [{ pointer: '/workspace/timeZone', code: 'TIME_ZONE', detail }];
    throw new PlatformError('VALIDATION_FAILED', undefined, { errors, cause });
  }
}
