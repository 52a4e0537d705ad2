import { PlatformError } from '@crm/contracts';
import {
  Database,
  inWorkspace,
  type NarrowTransaction,
  newId,
  type TenantTransaction,
  type Transaction,
  type TransactionOrigin,
} from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import type { NewMail } from '../mail/mail.repository.js';
import { MailService } from '../mail/mail.service.js';
import { letter, plainName } from '../mail/mail-text.js';
import { type NewUser, TenantRepository, UserRepository } from '../people/people.repository.js';
import { hashSecret, isSecret, newSecret, packToken, unpackToken } from '../secrets.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { PasswordPolicy, PasswordService } from '../sign-in/password.service.js';
import type { Invitation } from './accounts.entity.js';
import { InvitationRepository } from './accounts.repository.js';
import type { InvitationView } from './offer.dto.js';
import { OfferService, passwordRequired } from './offer.service.js';

const VALID_DAYS = 7;
const VALID_SECONDS = VALID_DAYS * 24 * 3600;

export interface PreparedInvitation {
  tenantId: string;
  id: string;
  userId: string;
  secretHash: Buffer;
  mail: NewMail;
}

@Injectable()
export class InvitationService {
  constructor(
    private readonly database: Database,
    private readonly invitations: InvitationRepository,
    private readonly users: UserRepository,
    private readonly tenants: TenantRepository,
    private readonly mails: MailService,
    private readonly passwords: PasswordService,
    private readonly policy: PasswordPolicy,
    private readonly offers: OfferService,
    private readonly revocations: RevocationService,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  async prepare(tenantId: string, user: Pick<NewUser, 'id' | 'email'>): Promise<PreparedInvitation> {
    const id = newId();
    const secret = newSecret();
    const workspace = plainName(await this.nameOf(tenantId));
    // A fragment reaches the page but not the log of a server.
    const link = `${this.config.service.baseUrl}/invitation#token=${packToken(tenantId, id, secret)}`;
    // Without the name of the recipient: the sender chooses it.
    const mail = letter(user.email, `Invitation to ${workspace}`, VALID_SECONDS, [
      `you have been invited to the workspace ${workspace}. Accept or decline here:`,
      '',
      link,
      '',
      `The link works once and for ${VALID_DAYS} days.`,
    ]);
    return { tenantId, id, userId: user.id, secretHash: hashSecret(secret), mail };
  }

  private async nameOf(tenantId: string): Promise<string> {
    return (await this.database.transaction(tenantId, (tx) => this.tenants.find(tx)))?.name ?? '';
  }

  async send(tx: Transaction, { mail, ...invitation }: PreparedInvitation): Promise<void> {
    await this.invitations.insert(tx, { ...invitation, validSeconds: VALID_SECONDS });
    await this.mails.queue(tx, invitation.tenantId, mail);
  }

  async replace(tx: TenantTransaction, invitation: PreparedInvitation): Promise<void> {
    await this.invitations.deletePending(tx, invitation.userId);
    await this.send(tx, invitation);
  }

  /** @throws PlatformError INVALID_INVITATION */
  async look(token: string): Promise<InvitationView> {
    const { user, workspace, personId } = await this.read(token);
    return { workspace, email: user.email, needsPassword: personId === undefined };
  }

  /**
   * @param password of somebody whose address has no account yet; otherwise it is not looked at
   * @throws PlatformError INVALID_INVITATION, PASSWORD_REQUIRED, WEAK_PASSWORD, SERVICE_UNAVAILABLE, CONFLICT
   */
  async accept(token: string, password: string | undefined, origin: RequestOrigin): Promise<void> {
    // Nothing is hashed for a link that is not valid.
    const { user, workspace, personId, ...link } = await this.read(token);
    const isNew = personId === undefined;
    if (isNew && password === undefined) throw passwordRequired();
    if (isNew && password !== undefined) await this.policy.assertAcceptable(password, { ...user, workspace });
    const hashed =
      isNew && password !== undefined ? { passwordHash: await this.passwords.hash(password, user.id) } : {};
    await this.answer(link, { ...origin, tenantId: user.tenantId }, (tx, isStillOffered) =>
      this.offers.accept(tx, { tenantId: user.tenantId, userId: user.id }, { ...hashed, isStillOffered }),
    );
  }

  /** @throws PlatformError INVALID_INVITATION */
  async decline(token: string, origin: RequestOrigin): Promise<void> {
    const { user, ...link } = await this.read(token);
    await this.answer(link, { ...origin, tenantId: user.tenantId }, (tx) =>
      this.offers.decline(tx, { tenantId: user.tenantId, userId: user.id }),
    );
  }

  private async answer(
    { id, secret }: Link,
    origin: TransactionOrigin,
    act: (tx: NarrowTransaction, isStillOffered: () => Promise<boolean>) => Promise<void>,
  ): Promise<void> {
    const { tenantId } = origin;
    const isStillOffered = async (tx: NarrowTransaction) =>
      isValid(await this.invitations.find(tx, tenantId, id), secret);
    try {
      await inWorkspace(this.database, origin, (tx) => act(tx, () => isStillOffered(tx)));
    } catch (error) {
      throw error instanceof PlatformError && error.code === 'NOT_FOUND' ? invalid() : error;
    }
    await this.revocations.publishPending();
  }

  private async read(token: string) {
    const presented = unpackToken(token);
    if (!presented) throw invalid();
    const { tenantId, id, secret } = presented;
    return inWorkspace(this.database, tenantId, async (tx) => {
      const known = await this.invitations.find(tx, tenantId, id);
      const user = known && isValid(known, secret) ? await this.users.findOffered(tx, tenantId, known.userId) : null;
      const tenant = await this.tenants.findAsNarrow(tx, tenantId);
      if (user?.status !== 'invited' || !tenant || tenant.closedAt) throw invalid();
      return { id, secret, user, workspace: tenant.name, personId: await this.offers.personWith(tx, user.email) };
    });
  }
}

type Link = Pick<NonNullable<ReturnType<typeof unpackToken>>, 'id' | 'secret'>;

const invalid = () => new PlatformError('INVALID_INVITATION');

const isValid = (invitation: Invitation | null, secret: string): boolean =>
  invitation !== null &&
  isSecret(invitation.secretHash, secret) &&
  !invitation.acceptedAt &&
  invitation.expiresAt.getTime() > Date.now();
