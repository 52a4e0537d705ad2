import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, inWorkspace } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { isRemoved } from '../people/people.entity.js';
import { UserRepository } from '../people/people.repository.js';
import { assertGrantable } from '../people/people.service.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { SessionService } from '../sessions/session.service.js';
import { AuthenticatorService } from '../sign-in/authenticator.service.js';
import { PasskeyRepository } from '../sign-in/factor.repository.js';
import { FactorNoticeService } from '../sign-in/factor-notice.service.js';
import { lastOwnerError, MembershipRemovalService } from './membership-removal.service.js';

/** What administrators do with members of their workspace, which leaves the person and their other workspaces alone. */
@Injectable()
export class MemberAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly authenticators: AuthenticatorService,
    private readonly passkeys: PasskeyRepository,
    private readonly sessions: SessionService,
    private readonly notices: FactorNoticeService,
    private readonly removals: MembershipRemovalService,
    private readonly revocations: RevocationService,
    private readonly trail: AuditTrail,
  ) {}

  /**
   * For a member who has lost what they prove it with: the password, or a code by mail, lets them in again.
   * @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE, CONFLICT for oneself
   */
  async resetSecondFactor(principal: Principal, userId: string): Promise<void> {
    assertNotSelf(principal, userId, 'Change your own two-step verification in your account settings');
    const ended = await this.database.transaction(principal, async (tx) => {
      const user = await this.users.lock(tx, userId);
      if (!user || isRemoved(user)) throw memberNotFound();
      assertGrantable(principal, user.roles);
      await this.authenticators.remove(tx, userId);
      await this.passkeys.deleteOfUser(tx, userId);
      await this.users.update(tx, userId, { mfaEnabled: false });
      await this.notices.send(tx, userId, { change: 'factor-reset' });
      this.trail.record(tx, { action: 'user.factor_reset', subject: { kind: 'user', id: userId } });
      return this.sessions.deleteAllWithin(tx, userId);
    });
    await this.sessions.forget(ended);
  }

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE, CONFLICT for oneself and for the last owner */
  async remove(principal: Principal, userId: string): Promise<void> {
    assertNotSelf(principal, userId, 'Leave the workspace to remove yourself');
    await this.end(principal, userId, 'remove');
  }

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE, CONFLICT for the last owner */
  async erase(principal: Principal, userId: string): Promise<void> {
    await this.end(principal, userId, 'erase');
  }

  private async end(principal: Principal, userId: string, how: 'remove' | 'erase'): Promise<void> {
    const user = { tenantId: principal.tenantId, userId };
    const bySelf = userId === principal.userId;
    await inWorkspace(this.database, principal, async (tx) => {
      const email = await this.removals.holdAddress(tx, user);
      const leaver = await this.removals.hold(tx, user, email);
      if (how === 'remove' && isRemoved(leaver)) throw memberNotFound();
      if (!bySelf) assertGrantable(principal, leaver.roles);
      if (leaver.isLastOwner) throw lastOwnerError();
      await this.removals[how](tx, leaver, bySelf);
    });
    await this.revocations.publishPending();
  }
}

function assertNotSelf(principal: Principal, userId: string, detail: string): void {
  if (userId === principal.userId) throw new PlatformError('CONFLICT', detail);
}

const memberNotFound = () => new PlatformError('NOT_FOUND', 'Member not found');
