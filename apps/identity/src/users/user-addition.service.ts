import type { Principal } from '@crm/access';
import {
  Database,
  headerCall,
  IdempotencyService,
  inWorkspace,
  type NarrowTransaction,
  newId,
  takeQuota,
} from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { InvitationService } from '../invitations/invitation.service.js';
import { normaliseEmail } from '../people/email-address.js';
import { type User } from '../people/people.entity.js';
import { assertGrantable, UserService } from '../people/user.service.js';
import { RoleService } from '../roles/role.service.js';
import { UsageService } from '../usage/usage.service.js';
import { ChosenPasswordService } from './chosen-password.service.js';
import type { UserInput } from './user.dto.js';
import { UserAdministrationService } from './user-administration.service.js';
import { UserAdmissionService } from './user-admission.service.js';

@Injectable()
export class UserAdditionService {
  constructor(
    private readonly database: Database,
    private readonly users: UserAdministrationService,
    private readonly additions: UserService,
    private readonly admission: UserAdmissionService,
    private readonly passwords: ChosenPasswordService,
    private readonly invitations: InvitationService,
    private readonly idempotency: IdempotencyService,
    private readonly trail: AuditTrail,
    private readonly usage: UsageService,
    private readonly roles: RoleService,
  ) {}

  /**
   * Nothing tells whether the address has an account elsewhere.
   * @param key makes a repeated call return the same user
   * @throws PlatformError ROLE_NOT_GRANTABLE, EMAIL_NOT_VERIFIED, VALIDATION_FAILED, LOCAL_PASSWORDS_REFUSED, WEAK_PASSWORD, RATE_LIMITED,
   * STORAGE_LIMIT_REACHED, SERVICE_UNAVAILABLE for a role that only the marketplace knows,
   * EMAIL_TAKEN for the address of another user of the workspace, IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED
   */
  async add(principal: Principal, addition: UserInput, key?: string): Promise<User> {
    const { tenantId } = principal;
    const roles = [...new Set(addition.roles)];
    assertGrantable(principal, roles);
    const call = headerCall(principal, 'POST /api/tenant/users', key, this.passwords.marked(addition));
    // First: a quota that has run out since does not refuse a repetition.
    const earlier =
      call && (await this.database.transaction(tenantId, (tx) => this.idempotency.findRecordId(tx, call)));
    if (earlier) return this.users.get(tenantId, earlier);
    const admitted = await this.roles.admit(tenantId, addition.roles);
    const quota = await this.admission.admit(principal);
    await this.admission.assertCanSignIn(tenantId, addition.email, roles);
    const password = await this.passwords.hash(tenantId, addition);
    const user = {
      id: newId(),
      email: normaliseEmail(addition.email),
      name: addition.name.trim(),
      roles,
      status: password ? ('active' as const) : ('invited' as const),
      origin: 'administrator' as const,
      initialPassword: password !== undefined && this.passwords.areInitial,
      passwordHash: password?.hash ?? null,
    };
    const invitation = user.status === 'invited' ? await this.invitations.prepare(tenantId, user) : undefined;
    const create = async (tx: NarrowTransaction): Promise<string> => {
      await this.roles.hold(tx, tenantId, admitted);
      await this.additions.addLocal(tx, tenantId, user, password?.key);
      if (invitation) await this.invitations.send(tx, invitation);
      this.trail.record(tx, {
        action: invitation ? 'user.invited' : 'user.added',
        subject: { kind: 'user', id: user.id },
        detail: { roles },
      });
      // Last: others of the workspace who add a user wait from here on.
      await takeQuota(tx, tenantId, quota);
      await this.usage.assertUserLimit(tx, tenantId);
      return user.id;
    };
    const adding = inWorkspace(this.database, principal, async (tx) =>
      call ? (await this.idempotency.once(tx, call, () => create(tx))).recordId : create(tx),
    );
    const added = await this.admission.noting(principal, quota, () => adding);
    await this.usage.noteUser(tenantId);
    return this.users.get(tenantId, added);
  }
}
