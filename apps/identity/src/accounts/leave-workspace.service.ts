import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, inOtherTenant, inWorkspace, type NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { EmailHolder } from '../people/email.repository.js';
import { TenantRepository } from '../people/people.repository.js';
import { PersonRepository } from '../people/person.repository.js';
import { PersonSessionService } from '../sessions/person-session.service.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { type Leaver, lastOwnerError, MembershipRemovalService } from './membership-removal.service.js';

/** People leave a workspace, or the platform. A local account leaves its own workspace alone. */
@Injectable()
export class LeaveWorkspaceService {
  constructor(
    private readonly database: Database,
    private readonly persons: PersonRepository,
    private readonly tenants: TenantRepository,
    private readonly removals: MembershipRemovalService,
    private readonly sessions: PersonSessionService,
    private readonly revocations: RevocationService,
  ) {}

  /**
   * @param erases whether nothing but the id is left of the user
   * @throws PlatformError NOT_FOUND for another workspace than that of the session, whose second factor was not asked for;
   * CONFLICT for the last owner
   */
  async leave(principal: Principal, tenantId: string, erases: boolean): Promise<void> {
    if (tenantId !== principal.tenantId) {
      throw new PlatformError('NOT_FOUND', 'Switch to this workspace before you leave it');
    }
    await inWorkspace(this.database, principal, async (tx) => {
      const email = await this.removals.holdAddress(tx, principal);
      const leaver = await this.removals.hold(tx, principal, email);
      if (leaver.isLastOwner) throw lastOwnerError();
      await this.removals[erases ? 'erase' : 'remove'](tx, leaver, true);
    });
    await this.revocations.publishPending();
  }

  /** In every workspace at once. @throws PlatformError CONFLICT naming those whose last owner the person is, STEP_UP_REQUIRED */
  async erasePerson(principal: Principal): Promise<void> {
    await this.sessions.assertOfPerson(principal);
    await this.sessions.assertSecondFactor(principal);
    await inWorkspace(this.database, principal, async (tx) => {
      const { email, memberships } = await this.holdAddress(tx, principal);
      const leavers: Leaver[] = [];
      for (const user of memberships) leavers.push(await this.removals.hold(tx, user, email));
      const kept = leavers.filter(({ isLastOwner }) => isLastOwner);
      if (kept.length > 0) throw await this.lastOwnerOf(tx, kept);
      for (const leaver of leavers) await this.removals.erase(tx, leaver, true);
    });
    await this.revocations.publishPending();
  }

  /** @returns those of the person by the order of their tenants, or the local account alone */
  private async holdAddress(
    tx: NarrowTransaction,
    { tenantId, userId }: Principal,
  ): Promise<{ email: string; memberships: EmailHolder[] }> {
    const email = await this.removals.holdAddress(tx, { tenantId, userId });
    const personId = await this.persons.personOf(tx, userId);
    const memberships = personId === undefined ? [{ tenantId, userId }] : await this.persons.memberships(tx, personId);
    return { email, memberships };
  }

  private async lastOwnerOf(tx: NarrowTransaction, leavers: readonly Leaver[]): Promise<PlatformError> {
    const workspaces: { id: string; name: string }[] = [];
    for (const { tenantId } of leavers) {
      const tenant = await inOtherTenant(tx, tenantId, () => this.tenants.findAsNarrow(tx, tenantId));
      workspaces.push({ id: tenantId, name: tenant?.name ?? '' });
    }
    const names = workspaces.map(({ name }) => name).join(', ');
    return new PlatformError('CONFLICT', `You're the only owner of ${names}. Make someone else an owner first`, {
      members: { workspaces },
    });
  }
}
