import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, takeQuota } from '@crm/database';
import { Limiter, LimiterStore } from '@crm/limits';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { InvitationService } from '../invitations/invitation.service.js';
import { type User } from '../people/people.entity.js';
import { UserRepository } from '../people/user.repository.js';
import { assertGrantable } from '../people/user.service.js';
import { UserAdmissionService } from './user-admission.service.js';

/** Repeated invitations of one user in an hour, so that nobody can flood the mailbox of the user. */
const INVITATIONS_AGAIN = { name: 'invitation', points: 5, windowSeconds: 3600 };

@Injectable()
export class RepeatedInvitationService {
  private readonly limit: Limiter;

  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly admission: UserAdmissionService,
    private readonly invitations: InvitationService,
    private readonly trail: AuditTrail,
    limits: LimiterStore,
  ) {
    this.limit = new Limiter(limits, INVITATIONS_AGAIN, 'Too many invitations sent to this user. Try again later');
  }

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE, CONFLICT for a user who is not invited, RATE_LIMITED */
  async inviteAgain(principal: Principal, id: string): Promise<void> {
    const { tenantId } = principal;
    const user = await this.database.transaction(tenantId, (tx) => this.users.get(tx, id));
    assertGrantable(principal, user.roles);
    assertInvited(user);
    const quota = await this.admission.admit(principal);
    await this.limit.consume(id);
    const invitation = await this.invitations.prepare(tenantId, user);
    await this.database.transaction(principal, async (tx) => {
      // Checked again under the lock: the user can have accepted in the meantime.
      assertInvited(await this.users.lock(tx, id));
      await this.invitations.replace(tx, invitation);
      this.trail.record(tx, { action: 'user.invited_again', subject: { kind: 'user', id } });
      await takeQuota(tx, tenantId, quota);
    });
  }
}

function assertInvited(user: User | null): void {
  if (user?.status !== 'invited') throw new PlatformError('CONFLICT', 'Only invited users can be invited again');
}
