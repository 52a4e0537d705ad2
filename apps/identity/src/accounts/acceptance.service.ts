import { EVENTS, PlatformError } from '@crm/contracts';
import { appendEvent, type NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AuditTrail, byUser } from '../audit/audit-trail.service.js';
import { MailService } from '../mail/mail.service.js';
import { EmailClaimRepository } from '../people/email.repository.js';
import type { User } from '../people/people.entity.js';
import { TenantRepository, UserRepository } from '../people/people.repository.js';
import type { LocalAccount } from '../people/person.entity.js';
import { PersonRepository } from '../people/person.repository.js';
import { PersonService } from '../people/person.service.js';
import { AccessRemovalService } from '../sessions/access-removal.service.js';
import { joinedWorkspaceMail } from './accounts.mail.js';
import { InvitationRepository } from './accounts.repository.js';
import type { Entry } from './offer.dto.js';
import { ErasureRepository } from './personal-data.repository.js';

/** A local account that a person may become. */
export type Offered = Pick<LocalAccount, 'tenantId' | 'userId' | 'email'>;

/** Who accepts: the person of a session, or anyone who reads the mail of the address. */
export type Accepter = { readonly personId: string } | { readonly passwordHash: string | undefined };

/**
 * What an offer comes to. Everything runs as the narrow role in the context of the offered account's workspace, and takes the
 * address before the user. After a commit the caller publishes the cut-offs.
 */
@Injectable()
export class AcceptanceService {
  constructor(
    private readonly persons: PersonRepository,
    private readonly people: PersonService,
    private readonly users: UserRepository,
    private readonly tenants: TenantRepository,
    private readonly claims: EmailClaimRepository,
    private readonly invitations: InvitationRepository,
    private readonly erasures: ErasureRepository,
    private readonly accessRemoval: AccessRemovalService,
    private readonly mails: MailService,
    private readonly trail: AuditTrail,
  ) {}

  /** What the person will need, who is told before they accept. @param personId undefined for someone who chooses a password */
  async entryOf(
    tx: NarrowTransaction,
    { tenantId, id }: Pick<User, 'tenantId' | 'id'>,
    personId: string | undefined,
  ): Promise<Entry> {
    if (await this.users.needsProvider(tx, tenantId, id)) return 'identity_provider';
    if (personId === undefined) return 'password';
    const memberships = await this.persons.memberships(tx, personId);
    return (await this.people.withPassword(tx, memberships)) ? 'password' : 'new_password';
  }

  /**
   * The local account becomes the person's, and whatever someone may have kept who used it before ends. A disabled one stays
   * disabled. Anyone who reads the mail of an address that nobody has proven becomes its person, with the password that they chose.
   * @returns whether it still was an offer to the one who accepts
   * @throws PlatformError PASSWORD_REQUIRED, CONFLICT as `PersonService.prove`, or while the address is kept for someone
   */
  async accept(tx: NarrowTransaction, offered: Offered, accepter: Accepter): Promise<boolean> {
    const { tenantId, userId, email } = offered;
    const user = await this.hold(tx, offered);
    const known = await this.persons.findAddress(tx, email);
    const isTheirs = !('personId' in accepter) || (accepter.personId === known?.personId && !known.isReserved);
    const workspace = await this.tenants.findAsNarrow(tx, tenantId);
    if (!user || !isTheirs || !workspace || workspace.closedAt) return false;
    const isVerified = workspace.verifiedAt !== null;
    // It is about to be closed.
    if (!isVerified && !(await this.claims.find(tx, userId))) return false;
    if (known?.isReserved)
      throw new PlatformError('CONFLICT', 'This address is reserved for its previous owner for a few more days');
    await this.accessRemoval.removeAccess(tx, offered);
    if (known) await this.people.join(tx, known.personId, offered);
    else await this.prove(tx, offered, 'passwordHash' in accepter ? accepter.passwordHash : undefined);
    if (user.status === 'invited') await this.users.activate(tx, offered);
    // Alike, whether the address has an account.
    this.trail.record(
      tx,
      byUser(user.status === 'invited' ? 'user.invitation_accepted' : 'membership.accepted', userId),
    );
    if (!isVerified) {
      this.trail.record(tx, { action: 'workspace.email_verified', subject: { kind: 'workspace', id: tenantId } });
    }
    if (known) await this.mails.queue(tx, tenantId, joinedWorkspaceMail(email, workspace.name));
    return true;
  }

  /**
   * A user who was merely invited goes; any other local account keeps working, and is neither offered nor mailed again. The transaction
   * is not to know from where it was declined: the workspace may be a stranger's.
   * @returns whether it still was a local account
   */
  async decline(tx: NarrowTransaction, offered: Offered): Promise<boolean> {
    const { tenantId, userId } = offered;
    const user = await this.hold(tx, offered);
    if (!user) return false;
    this.trail.record(tx, byUser('membership.declined', userId));
    if (user.status === 'invited') await this.erase(tx, offered);
    else {
      await this.persons.decline(tx, userId);
      await this.invitations.deleteOfUser(tx, tenantId, userId);
    }
    return true;
  }

  /** @returns null for what is no local account of the address any more */
  private async hold(tx: NarrowTransaction, { tenantId, userId, email }: Offered) {
    await this.persons.holdAddress(tx, email);
    const user = await this.users.hold(tx, tenantId, userId);
    const local = await this.persons.findLocal(tx, userId);
    return user?.email === email && local?.email === email ? user : null;
  }

  private async prove(tx: NarrowTransaction, offered: Offered, passwordHash: string | undefined): Promise<void> {
    if (passwordHash === undefined) throw passwordRequiredError();
    const personId = await this.people.prove(tx, offered.email, offered);
    await this.people.setPassword(tx, personId, passwordHash);
  }

  private async erase(tx: NarrowTransaction, { tenantId, userId }: Offered): Promise<void> {
    const user = await this.erasures.lockUser(tx, tenantId, userId);
    if (user) await this.erasures.erase(tx, tenantId, user);
    await this.trail.forgetOrigins(tx, userId);
    await appendEvent(tx, EVENTS['user.erased'], { tenantId, subject: userId, data: { userId } });
  }
}

export function passwordRequiredError(): PlatformError {
  const detail = "This address isn't verified yet. Choose a password";
  const errors = [{ pointer: '/password', code: 'PASSWORD_REQUIRED', detail }];
  return new PlatformError('PASSWORD_REQUIRED', detail, { errors });
}
