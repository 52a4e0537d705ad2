import type { Principal } from '@crm/access';
import { EVENTS, PlatformError } from '@crm/contracts';
import { appendEvent, Database, inWorkspace, type NarrowTransaction, visiting } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AuditTrail, byUser } from '../audit/audit-trail.service.js';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { MailService } from '../mail/mail.service.js';
import type { EmailHolder } from '../people/email.repository.js';
import { TenantRepository, UserRepository } from '../people/people.repository.js';
import { PersonRepository } from '../people/person.repository.js';
import { PersonService } from '../people/person.service.js';
import { PersonSessionService } from '../sessions/person-session.service.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { ShutOutService } from '../sessions/shut-out.service.js';
import { joinedMail } from './accounts.mail.js';
import type { OfferView } from './offer.dto.js';
import { ErasureRepository } from './personal-data.repository.js';

/** Offers that are shown; whoever has more answers some first. */
const MOST_SHOWN = 50;

/**
 * Local accounts that have the address of a person: each becomes a membership when the person accepts it, which shuts out
 * whoever has used it.
 */
@Injectable()
export class OfferService {
  constructor(
    private readonly database: Database,
    private readonly persons: PersonRepository,
    private readonly people: PersonService,
    private readonly users: UserRepository,
    private readonly tenants: TenantRepository,
    private readonly sessions: PersonSessionService,
    private readonly shutOuts: ShutOutService,
    private readonly revocations: RevocationService,
    private readonly erasures: ErasureRepository,
    private readonly mails: MailService,
    private readonly trail: AuditTrail,
  ) {}

  /** Nothing to whom no address is proven. */
  async list({ tenantId, userId }: Principal): Promise<OfferView[]> {
    return inWorkspace(this.database, tenantId, async (tx) => {
      const shown: OfferView[] = [];
      for (const offer of await this.offersTo(tx, userId)) {
        if (shown.length === MOST_SHOWN) break;
        const view = await visiting(tx, offer.tenantId, () => this.view(tx, offer));
        if (view) shown.push(view);
      }
      return shown;
    });
  }

  /** @throws PlatformError NOT_FOUND for whatever is not offered to the person, CONFLICT where they are a member already */
  async acceptOffered(principal: Principal, userId: string, origin: RequestOrigin): Promise<void> {
    await this.sessions.assertOfPerson(principal);
    const offer = await this.require(principal, userId);
    await inWorkspace(this.database, { ...origin, tenantId: offer.tenantId }, (tx) => this.accept(tx, offer));
    await this.revocations.publishPending();
  }

  /** @throws PlatformError NOT_FOUND for whatever is not offered to the person */
  async declineOffered(principal: Principal, userId: string, origin: RequestOrigin): Promise<void> {
    await this.sessions.assertOfPerson(principal);
    const offer = await this.require(principal, userId);
    await inWorkspace(this.database, { ...origin, tenantId: offer.tenantId }, (tx) => this.decline(tx, offer));
    await this.revocations.publishPending();
  }

  /**
   * In the context of the user's workspace; the caller publishes the cut-off after the commit.
   * @param passwordHash of somebody who proves the address by this, and has no account yet
   * @param isStillOffered is asked once the user is held
   * @throws PlatformError NOT_FOUND where it is no longer offered, PASSWORD_REQUIRED, CONFLICT
   */
  async accept(
    tx: NarrowTransaction,
    offer: EmailHolder,
    { passwordHash, isStillOffered = async () => true }: Acceptance = {},
  ): Promise<void> {
    const { tenantId, userId } = offer;
    const { user, personId } = await this.hold(tx, offer);
    if (!(await isStillOffered())) throw notOffered();
    if (personId === undefined && passwordHash === undefined) throw passwordRequired();
    const isInvited = user.status === 'invited';
    await this.shutOuts.shutOut(tx, offer);
    if (personId === undefined && passwordHash !== undefined) await this.users.setPassword(tx, offer, passwordHash);
    await this.people.prove(tx, user.email, offer);
    if (isInvited) await this.users.activate(tx, offer);
    this.trail.record(tx, byUser(isInvited ? 'user.invitation_accepted' : 'membership.accepted', userId));
    if (personId === undefined) return;
    const name = (await this.tenants.findAsNarrow(tx, tenantId))?.name ?? '';
    await this.mails.queue(tx, tenantId, joinedMail(user.email, name));
  }

  /** As {@link accept}. Somebody who was invited is nobody there then; an account goes on, and is not offered again. */
  async decline(tx: NarrowTransaction, offer: EmailHolder): Promise<void> {
    const { tenantId, userId } = offer;
    const { user } = await this.hold(tx, offer);
    this.trail.record(tx, byUser('membership.declined', userId));
    if (user.status !== 'invited') {
      await this.persons.changeLocal(tx, userId, { declinedAt: new Date() });
      return;
    }
    await this.erasures.erase(tx, tenantId, user);
    await this.revocations.record(tx, 'user', userId);
    await appendEvent(tx, EVENTS['user.erased'], { tenantId, subject: userId, data: { userId } });
  }

  /** Who has the address of a user. @returns undefined while nobody has proven it */
  async personWith(tx: NarrowTransaction, email: string): Promise<string | undefined> {
    const known = await this.persons.findAddress(tx, email);
    return known && !known.isReserved ? known.personId : undefined;
  }

  /** The address first, then the user. @throws PlatformError NOT_FOUND for who is no local account any more */
  private async hold(tx: NarrowTransaction, { tenantId, userId }: EmailHolder) {
    const local = await this.persons.findLocal(tx, userId);
    if (!local) throw notOffered();
    await this.persons.holdAddress(tx, local.email);
    const user = await this.users.holdOffered(tx, tenantId, userId);
    const isLocal = (await this.persons.findLocal(tx, userId)) !== null;
    if (!user || !isLocal || user.email !== local.email || user.origin === 'embed') throw notOffered();
    return { user, personId: await this.personWith(tx, user.email) };
  }

  private async offersTo(tx: NarrowTransaction, userId: string): Promise<EmailHolder[]> {
    const personId = await this.persons.personOf(tx, userId);
    return personId === undefined ? [] : this.persons.offers(tx, personId);
  }

  private async require({ userId: callerId }: Principal, userId: string): Promise<EmailHolder> {
    const offers = await this.database.crossTenant((tx) => this.offersTo(tx, callerId));
    const offer = offers.find((one) => one.userId === userId);
    if (!offer) throw notOffered();
    return offer;
  }

  private async view(tx: NarrowTransaction, { tenantId, userId }: EmailHolder): Promise<OfferView | undefined> {
    const [tenant, user] = await Promise.all([
      this.tenants.findAsNarrow(tx, tenantId),
      this.users.findOffered(tx, tenantId, userId),
    ]);
    // A host makes users for as long as it embeds, and for nothing else.
    if (!tenant || tenant.closedAt || !user || user.origin === 'embed') return undefined;
    return { userId, tenantId, workspace: tenant.name, roles: user.roles, invited: user.status === 'invited' };
  }
}

interface Acceptance {
  readonly passwordHash?: string;
  readonly isStillOffered?: () => Promise<boolean>;
}

const notOffered = () => new PlatformError('NOT_FOUND', 'There is no such offer');

export function passwordRequired(): PlatformError {
  const errors = [{ pointer: '/password', code: 'REQUIRED', detail: 'Choose the password of your account' }];
  return new PlatformError('PASSWORD_REQUIRED', undefined, { errors });
}
