import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, inWorkspace, type NarrowTransaction, visiting } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { EmailHolder } from '../people/email.repository.js';
import { TenantRepository } from '../people/people.repository.js';
import { PersonRepository } from '../people/person.repository.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { DepartureService, type Leaver, lastOwner } from './departure.service.js';

/** Whether the password or a passkey of the person has opened a session, since they were a member. $1: tenant, $2: user, $3: session, $4: since. */
export const IS_SESSION_OF_PERSON = `
  SELECT 1 FROM session
   WHERE tenant_id = $1 AND user_id = $2 AND id = $3 AND expires_at > now() AND person_proven AND created_at >= $4`;

/** People leave a workspace, or the platform. A local account leaves its own workspace alone. */
@Injectable()
export class LeavingService {
  constructor(
    private readonly database: Database,
    private readonly persons: PersonRepository,
    private readonly tenants: TenantRepository,
    private readonly departures: DepartureService,
    private readonly revocations: RevocationService,
  ) {}

  /**
   * @param erases whether nothing but the id is left of the user
   * @throws PlatformError NOT_FOUND for a workspace that the person is not in, CONFLICT for the last owner, FORBIDDEN
   */
  async leave(principal: Principal, tenantId: string, erases: boolean): Promise<void> {
    const isOfPerson = await this.isOfPerson(principal);
    await inWorkspace(this.database, principal, async (tx) => {
      const { email, memberships } = await this.holdAddress(tx, principal);
      const user = memberships.find((membership) => membership.tenantId === tenantId);
      if (!user) throw new PlatformError('NOT_FOUND', 'You are in no such workspace');
      if (tenantId !== principal.tenantId && !isOfPerson) throw ofProvider();
      const leaver = await this.departures.hold(tx, user, email);
      if (leaver.isLastOwner) throw lastOwner();
      await this.departures[erases ? 'erase' : 'remove'](tx, leaver, { bySelf: true });
    });
    await this.revocations.publishPending();
  }

  /** In every workspace at once. @throws PlatformError CONFLICT naming those whose last owner the person is, FORBIDDEN */
  async erasePerson(principal: Principal): Promise<void> {
    const isOfPerson = await this.isOfPerson(principal);
    await inWorkspace(this.database, principal, async (tx) => {
      const { email, memberships } = await this.holdAddress(tx, principal);
      if (memberships.length > 1 && !isOfPerson) throw ofProvider();
      const leavers: Leaver[] = [];
      for (const user of memberships) leavers.push(await this.departures.hold(tx, user, email));
      const kept = leavers.filter(({ isLastOwner }) => isLastOwner);
      if (kept.length > 0) throw await this.lastOwnerOf(tx, kept);
      for (const leaver of leavers) await this.departures.erase(tx, leaver, { bySelf: true });
    });
    await this.revocations.publishPending();
  }

  /** @returns those of the person by the order of their tenants, or the local account alone */
  private async holdAddress(
    tx: NarrowTransaction,
    { tenantId, userId }: Principal,
  ): Promise<{ email: string; memberships: EmailHolder[] }> {
    const email = await this.departures.holdAddress(tx, { tenantId, userId });
    const personId = await this.persons.personOf(tx, userId);
    const memberships = personId === undefined ? [{ tenantId, userId }] : await this.persons.memberships(tx, personId);
    return { email, memberships };
  }

  /** A provider speaks for the users of its workspace alone. */
  private async isOfPerson({ tenantId, userId, sessionId }: Principal): Promise<boolean> {
    const since = await this.database.crossTenant((tx) => this.persons.memberSince(tx, userId));
    if (!since || sessionId === undefined) return false;
    const parameters = [tenantId, userId, sessionId, since];
    return this.database.transaction(
      tenantId,
      async (tx) => (await tx.query(IS_SESSION_OF_PERSON, parameters)).length === 1,
    );
  }

  private async lastOwnerOf(tx: NarrowTransaction, leavers: readonly Leaver[]): Promise<PlatformError> {
    const workspaces: { id: string; name: string }[] = [];
    for (const { tenantId } of leavers) {
      const tenant = await visiting(tx, tenantId, () => this.tenants.findAsNarrow(tx, tenantId));
      workspaces.push({ id: tenantId, name: tenant?.name ?? '' });
    }
    const names = workspaces.map(({ name }) => name).join(', ');
    return new PlatformError('CONFLICT', `Make somebody else an owner first, of ${names}`, { members: { workspaces } });
  }
}

const ofProvider = () =>
  new PlatformError('FORBIDDEN', 'Sign in with your password or a passkey: a provider speaks for its workspace alone');
