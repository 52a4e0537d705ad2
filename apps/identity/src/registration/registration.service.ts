import { PlatformError } from '@crm/contracts';
import { Database, inWorkspace, type NarrowTransaction, newId } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail, userActor } from '../audit/audit-trail.service.js';
import { type RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { PasswordService } from '../passwords/password.service.js';
import { normaliseEmail } from '../people/email-address.js';
import { type Claimant } from '../people/email-claim.repository.js';
import { PersonRepository } from '../people/person.repository.js';
import { PersonService } from '../people/person.service.js';
import { type NewTenant, TenantRepository } from '../people/tenant.repository.js';
import { type NewUser } from '../people/user.repository.js';
import { UserService } from '../people/user.service.js';
import { assertKnown } from '../people/workspace-settings.js';
import { type RegistrationInput } from './registration.dto.js';

export type BeginClaim = (tx: NarrowTransaction, claimant: Claimant) => Promise<void>;

/** Opens workspaces. The tenant, its owner, their local account and the event commit together or not at all. */
@Injectable()
export class RegistrationService {
  constructor(
    private readonly database: Database,
    private readonly tenants: TenantRepository,
    private readonly users: UserService,
    private readonly passwords: PasswordService,
    private readonly persons: PersonRepository,
    private readonly people: PersonService,
    private readonly trail: AuditTrail,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /**
   * The outcome and the work are the same whether the address has an account.
   * @param claim begins to verify the address, in the transaction; without it the workspace counts as verified, and so does an
   * address that nobody has proven
   * @throws PlatformError PLAN_NOT_ALLOWED, VALIDATION_FAILED, SERVICE_UNAVAILABLE
   */
  async register(
    registration: RegistrationInput,
    origin: Partial<RequestOrigin> = {},
    claim?: BeginClaim,
  ): Promise<{ user: NewUser; tenant: NewTenant }> {
    const { workspace } = registration;
    const plan = workspace.plan ?? 'developer';
    if (plan !== 'developer' && this.config.service.profile === 'production') {
      throw new PlatformError('PLAN_NOT_ALLOWED');
    }
    assertKnown(workspace, '/workspace');
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
    const passwordKey = await this.passwords.claimKey(email, registration.password, origin.address);
    await inWorkspace(this.database, { ...origin, tenantId: tenant.id }, async (tx) => {
      await this.tenants.insert(tx, tenant, { verified: !claim });
      await this.users.addLocal(tx, tenant.id, user, passwordKey);
      const holder = { tenantId: tenant.id, userId: user.id };
      if (claim) await claim(tx, { ...holder, email });
      else if (!(await this.persons.findAddress(tx, email))) await this.people.prove(tx, email, holder);
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
