import { PlatformError } from '@crm/contracts';
import { Database, newId, type TenantTransaction, type Transaction } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail, byUser } from '../audit/audit-trail.service.js';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import type { NewMail } from '../mail/mail.repository.js';
import { MailService } from '../mail/mail.service.js';
import { letter, plainName } from '../mail/mail-text.js';
import type { User } from '../people/people.entity.js';
import { type NewUser, UserRepository } from '../people/people.repository.js';
import { TenantService } from '../people/people.service.js';
import { hashSecret, isSecret, newSecret, packToken, unpackToken } from '../secrets.js';
import { PasswordPolicy, PasswordService } from '../sign-in/password.service.js';
import type { Invitation } from './accounts.entity.js';
import { InvitationRepository } from './accounts.repository.js';

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
    private readonly tenants: TenantService,
    private readonly mails: MailService,
    private readonly passwords: PasswordService,
    private readonly policy: PasswordPolicy,
    private readonly trail: AuditTrail,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  async prepare(tenantId: string, user: Pick<NewUser, 'id' | 'email'>): Promise<PreparedInvitation> {
    const id = newId();
    const secret = newSecret();
    const workspace = plainName((await this.tenants.get(tenantId)).name);
    // A fragment reaches the page but not the log of a server.
    const link = `${this.config.service.baseUrl}/invitation#token=${packToken(tenantId, id, secret)}`;
    // Without the name of the recipient: the sender chooses it.
    const mail = letter(user.email, `Invitation to ${workspace}`, VALID_SECONDS, [
      `you have been invited to the workspace ${workspace}. Set your password here:`,
      '',
      link,
      '',
      `The link works once and for ${VALID_DAYS} days.`,
    ]);
    return { tenantId, id, userId: user.id, secretHash: hashSecret(secret), mail };
  }

  async send(tx: Transaction, { mail, ...invitation }: PreparedInvitation): Promise<void> {
    await this.invitations.insert(tx, { ...invitation, validSeconds: VALID_SECONDS });
    await this.mails.queue(tx, invitation.tenantId, mail);
  }

  async replace(tx: TenantTransaction, invitation: PreparedInvitation): Promise<void> {
    await this.invitations.deletePending(tx, invitation.userId);
    await this.send(tx, invitation);
  }

  /** @throws PlatformError INVALID_INVITATION, WEAK_PASSWORD, SERVICE_UNAVAILABLE */
  async accept(token: string, password: string, origin: RequestOrigin): Promise<void> {
    const presented = unpackToken(token);
    if (!presented) throw new PlatformError('INVALID_INVITATION');
    const { tenantId, id, secret } = presented;
    // Nothing is hashed for a link that is not valid.
    const { user, workspace } = await this.database.transaction(tenantId, async (tx) => {
      const known = await this.invitations.find(tx, id);
      const found = known ? await this.users.find(tx, known.userId) : null;
      return { user: assertValid(known, secret, found), workspace: (await this.tenants.view(tx)).name };
    });
    await this.policy.assertAcceptable(password, { ...user, workspace });
    const passwordHash = await this.passwords.hash(password, user.id);
    await this.database.transaction({ ...origin, tenantId }, async (tx) => {
      // The user first, as where an invitation is sent again: locks taken in one order cannot deadlock.
      const locked = await this.users.lock(tx, user.id);
      assertValid(await this.invitations.lock(tx, id), secret, locked);
      await this.invitations.markAccepted(tx, id);
      await this.users.update(tx, user.id, { passwordHash, status: 'active' });
      this.trail.record(tx, byUser('user.invitation_accepted', user.id));
    });
  }
}

function assertValid(invitation: Invitation | null, secret: string, user: User | null): User {
  const valid =
    invitation &&
    isSecret(invitation.secretHash, secret) &&
    !invitation.acceptedAt &&
    invitation.expiresAt.getTime() > Date.now();
  if (!valid || user?.status !== 'invited') throw new PlatformError('INVALID_INVITATION');
  return user;
}
