import { PlatformError } from '@crm/contracts';
import { Database, inWorkspace, newId, type TenantTransaction, type Transaction } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import type { NewMail } from '../mail/mail.repository.js';
import { MailService } from '../mail/mail.service.js';
import { PasswordService } from '../passwords/password.service.js';
import { PasswordPolicy } from '../passwords/password-policy.js';
import type { EmailHolder } from '../people/email-claim.repository.js';
import type { User } from '../people/people.entity.js';
import { PersonRepository } from '../people/person.repository.js';
import { TenantRepository } from '../people/tenant.repository.js';
import { type NewUser, UserRepository } from '../people/user.repository.js';
import { hashSecret, isSecret, newSecret, packToken, unpackToken } from '../secrets.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { AcceptanceService, passwordRequiredError } from './acceptance.service.js';
import type { Invitation } from './invitation.entity.js';
import { INVITATION_SECONDS, invitationMail } from './invitation.mail.js';
import { InvitationRepository } from './invitation.repository.js';
import type { InvitationView } from './offer.dto.js';

interface NewInvitation {
  tenantId: string;
  id: string;
  userId: string;
  secretHash: Buffer;
}

export interface PreparedInvitation extends NewInvitation {
  mail: NewMail;
}

/** A link in a mail, which proves the mailbox, to what is offered there: an invitation, or a workspace that was registered. */
@Injectable()
export class InvitationService {
  constructor(
    private readonly database: Database,
    private readonly invitations: InvitationRepository,
    private readonly users: UserRepository,
    private readonly persons: PersonRepository,
    private readonly tenants: TenantRepository,
    private readonly mails: MailService,
    private readonly passwords: PasswordService,
    private readonly policy: PasswordPolicy,
    private readonly acceptances: AcceptanceService,
    private readonly revocations: RevocationService,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  async prepare(tenantId: string, { id: userId, email }: Pick<NewUser, 'id' | 'email'>): Promise<PreparedInvitation> {
    const { link, ...invitation } = this.newLink({ tenantId, userId });
    const tenant = await this.database.transaction(tenantId, (tx) => this.tenants.find(tx));
    return { ...invitation, mail: invitationMail(email, tenant?.name ?? '', link, await this.isKnown(email)) };
  }

  async send(tx: Transaction, { mail, ...invitation }: PreparedInvitation): Promise<void> {
    await this.invitations.insert(tx, { ...invitation, validSeconds: INVITATION_SECONDS });
    await this.mails.queue(tx, invitation.tenantId, mail);
  }

  async replace(tx: TenantTransaction, invitation: PreparedInvitation): Promise<void> {
    await this.invitations.deleteOfUser(tx, tx.tenantId, invitation.userId);
    await this.send(tx, invitation);
  }

  /** To someone whose address nobody has proven, who asked for it themselves: the mail goes to them alone. */
  async sendAgain(tx: TenantTransaction, { tenantId, id: userId, email }: User): Promise<void> {
    const tenant = await this.tenants.find(tx);
    if (!tenant || tenant.closedAt) return;
    const link = await this.renew(tx, { tenantId, userId }, INVITATION_SECONDS);
    await this.mails.queue(tx, tenantId, invitationMail(email, tenant.name, link, false));
  }

  /** In place of an earlier one, for a mail of the caller. @returns the link */
  async renew(tx: Transaction, user: EmailHolder, validSeconds: number): Promise<string> {
    const { link, ...invitation } = this.newLink(user);
    await this.invitations.deleteOfUser(tx, user.tenantId, user.userId);
    await this.invitations.insert(tx, { ...invitation, validSeconds });
    return link;
  }

  /** @throws PlatformError INVALID_INVITATION */
  async look(token: string): Promise<InvitationView> {
    const { user, workspace } = await this.find(token);
    const { email, tenantId } = user;
    return inWorkspace(this.database, tenantId, async (tx) => {
      const known = await this.persons.findAddress(tx, email);
      const personId = known?.isReserved ? undefined : known?.personId;
      const signsInBy = await this.acceptances.entryOf(tx, user, personId);
      return { workspace, email, needsPassword: personId === undefined, signsInBy };
    });
  }

  /** @throws PlatformError INVALID_INVITATION, PASSWORD_REQUIRED, WEAK_PASSWORD, CONFLICT, SERVICE_UNAVAILABLE */
  async accept(token: string, password: string | undefined, origin: RequestOrigin): Promise<void> {
    // Nothing is hashed for a link that is not valid, or for a person, who has a password.
    const { user, workspace } = await this.find(token);
    const passwordHash = (await this.isKnown(user.email)) ? undefined : await this.hash(user, workspace, password);
    const { tenantId, id: userId, email } = user;
    const accepted = await inWorkspace(this.database, { ...origin, tenantId }, (tx) =>
      this.acceptances.accept(tx, { tenantId, userId, email }, { passwordHash }),
    );
    if (!accepted) throw invalid();
    await this.revocations.publishPending();
  }

  /** @throws PlatformError INVALID_INVITATION */
  async decline(token: string): Promise<void> {
    const { tenantId, id: userId, email } = (await this.find(token)).user;
    const declined = await inWorkspace(this.database, tenantId, (tx) =>
      this.acceptances.decline(tx, { tenantId, userId, email }),
    );
    if (!declined) throw invalid();
  }

  private async find(token: string): Promise<{ user: User; workspace: string }> {
    const presented = unpackToken(token);
    if (!presented) throw invalid();
    const { tenantId, id, secret } = presented;
    return this.database.transaction(tenantId, async (tx) => {
      const known = await this.invitations.find(tx, id);
      const user = assertValid(known, secret, known && (await this.users.find(tx, known.userId)));
      const tenant = await this.tenants.find(tx);
      if (!tenant || tenant.closedAt) throw invalid();
      return { user, workspace: tenant.name };
    });
  }

  private async isKnown(email: string): Promise<boolean> {
    const known = await this.database.crossTenant((tx) => this.persons.findAddress(tx, email));
    return known !== null && !known.isReserved;
  }

  private async hash(user: User, workspace: string, password: string | undefined): Promise<string> {
    if (password === undefined) throw passwordRequiredError();
    await this.policy.assertAcceptable(password, { ...user, workspace });
    return this.passwords.hash(password, user.id);
  }

  private newLink({ tenantId, userId }: EmailHolder): NewInvitation & { link: string } {
    const [id, secret] = [newId(), newSecret()];
    // A fragment reaches the page but not the log of a server.
    const link = `${this.config.service.baseUrl}/invitation#token=${packToken(tenantId, id, secret)}`;
    return { tenantId, id, userId, secretHash: hashSecret(secret), link };
  }
}

const invalid = () => new PlatformError('INVALID_INVITATION');

function assertValid(invitation: Invitation | null, secret: string, user: User | null): User {
  const isValid =
    invitation &&
    isSecret(invitation.secretHash, secret) &&
    !invitation.acceptedAt &&
    invitation.expiresAt.getTime() > Date.now();
  if (!isValid || !user || user.status === 'disabled') throw invalid();
  return user;
}
