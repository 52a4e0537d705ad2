import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, inWorkspace } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { EmailHolder } from '../people/email.repository.js';
import { TenantRepository, UserRepository } from '../people/people.repository.js';
import { PersonRepository } from '../people/person.repository.js';
import { PersonSessionService } from '../sessions/person-session.service.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { AcceptanceService, type Offered } from './acceptance.service.js';
import { SuspensionRepository } from './accounts.repository.js';
import { MOST_OFFERS, type OfferView } from './offer.dto.js';

/** The local accounts of a person's address, as the person sees them within a session. Nobody else sees any. */
@Injectable()
export class OfferService {
  constructor(
    private readonly database: Database,
    private readonly persons: PersonRepository,
    private readonly users: UserRepository,
    private readonly tenants: TenantRepository,
    private readonly suspensions: SuspensionRepository,
    private readonly sessions: PersonSessionService,
    private readonly acceptances: AcceptanceService,
    private readonly revocations: RevocationService,
  ) {}

  /** None in a session that does not speak for the person, who could not accept any there. */
  async list(principal: Principal): Promise<OfferView[]> {
    if ((await this.sessions.visibleWorkspaces(principal)).partial) return [];
    const { userId } = principal;
    const { personId, offers } = await this.database.crossTenant(async (tx) => {
      const found = (await this.persons.personOf(tx, userId)) ?? '';
      return { personId: found, offers: found === '' ? [] : await this.persons.offers(tx, found) };
    });
    const views: OfferView[] = [];
    for (const offer of offers) {
      if (views.length === MOST_OFFERS) break;
      const view = await this.view(offer, personId);
      if (view) views.push(view);
    }
    return views;
  }

  /** @throws PlatformError NOT_FOUND, CONFLICT as `PersonService.join`, STEP_UP_REQUIRED where the session speaks for one of several */
  async accept(principal: Principal, userId: string): Promise<void> {
    const { personId, offered } = await this.find(principal, userId);
    const { tenantId } = offered;
    // There the person acts as the user that they become.
    const accepted = await inWorkspace(this.database, { ...principal, tenantId, userId }, (tx) =>
      this.acceptances.accept(tx, offered, { personId }),
    );
    if (!accepted) throw offerNotFound();
    await this.revocations.publishPending();
  }

  /** @throws PlatformError NOT_FOUND, STEP_UP_REQUIRED as {@link accept} */
  async decline(principal: Principal, userId: string): Promise<void> {
    const { offered } = await this.find(principal, userId);
    const declined = await inWorkspace(this.database, offered.tenantId, (tx) => this.acceptances.decline(tx, offered));
    if (!declined) throw offerNotFound();
  }

  private async find(principal: Principal, userId: string): Promise<{ personId: string; offered: Offered }> {
    const found = await this.database.crossTenant(async (tx) => {
      const personId = await this.persons.personOf(tx, principal.userId);
      const offered = await this.persons.findLocal(tx, userId);
      if (personId === undefined || !offered || offered.declinedAt) return null;
      const known = await this.persons.findAddress(tx, offered.email);
      return known?.personId === personId && !known.isReserved ? { personId, offered } : null;
    });
    if (!found || !(await this.view(found.offered, found.personId))) throw offerNotFound();
    await this.sessions.assertOfPerson(principal);
    await this.sessions.assertSecondFactor(principal);
    return found;
  }

  /** @returns null for a user of a workspace that is closed or suspended, who is not offered */
  private async view({ tenantId, userId }: EmailHolder, personId: string): Promise<OfferView | null> {
    const offered = await this.database.transaction(tenantId, async (tx) => {
      const [user, tenant, suspension] = await Promise.all([
        this.users.find(tx, userId),
        this.tenants.find(tx),
        this.suspensions.find(tx),
      ]);
      const isOpen = tenant && !tenant.closedAt && (!suspension || suspension.reinstatedAt !== null);
      return user && isOpen ? { user, workspace: tenant.name } : null;
    });
    if (!offered) return null;
    const { user, workspace } = offered;
    const { roles, status, createdAt } = user;
    const signsInBy = await inWorkspace(this.database, tenantId, (tx) => this.acceptances.entryOf(tx, user, personId));
    const invited = status === 'invited';
    return { userId, tenantId, workspace, roles, invited, signsInBy, createdAt: createdAt.toISOString() };
  }
}

const offerNotFound = () => new PlatformError('NOT_FOUND', 'Offer not found');
