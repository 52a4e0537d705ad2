import { PlatformError } from '@crm/contracts';
import { Database, inWorkspace, millisecondsOfId, type TransactionOrigin } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AuditTrail, userActor } from '../audit/audit-trail.service.js';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { EmbedUserRepository } from '../embedding/embed-user.repository.js';
import { SignInEmailRepository } from '../people/email.repository.js';
import { UserRepository } from '../people/user.repository.js';
import { isSecret } from '../secret.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { SessionService } from '../sessions/session.service.js';
import { AuthenticatorService } from '../sign-in/authenticator.service.js';
import { PasskeyRepository } from '../sign-in/passkey.repository.js';
import { ProviderLinkRepository } from '../single-sign-on/provider.repository.js';
import type { EmailChange } from './accounts.entity.js';
import { EmailChangeRepository, PasswordResetRepository } from './accounts.repository.js';
import { EmailChangeService } from './email-change.service.js';
import { PasswordResetService } from './password-reset.service.js';

/**
 * Who changed the address knew the password and perhaps had a session: neither is worth anything afterwards, nor what
 * was set up since. Of the passkeys none stays: one from before can be the thief's as well.
 */
@Injectable()
export class EmailChangeUndoService {
  constructor(
    private readonly database: Database,
    private readonly requests: EmailChangeService,
    private readonly changes: EmailChangeRepository,
    private readonly users: UserRepository,
    private readonly emails: SignInEmailRepository,
    private readonly resets: PasswordResetRepository,
    private readonly newPasswords: PasswordResetService,
    private readonly sessions: SessionService,
    private readonly revocations: RevocationService,
    private readonly authenticators: AuthenticatorService,
    private readonly trail: AuditTrail,
    private readonly passkeys: PasskeyRepository,
    private readonly providerLinks: ProviderLinkRepository,
    private readonly hostUsers: EmbedUserRepository,
  ) {}

  /**
   * Each step can be repeated: the token works until the address is back.
   * @throws PlatformError INVALID_EMAIL_CHANGE, RATE_LIMITED
   */
  async undo(token: string, origin: RequestOrigin): Promise<void> {
    const { tenantId, id, secret } = await this.requests.take(token, origin.address);
    const userId = await this.shutOut(tenantId, id, secret);
    await this.giveBack({ ...origin, tenantId }, id, secret);
    await this.database.transaction(tenantId, async (tx) => {
      const user = await this.users.lock(tx, userId);
      if (user?.status === 'active') await this.newPasswords.send(tx, user);
    });
  }

  private async shutOut(tenantId: string, id: string, secret: string): Promise<string> {
    const { userId, ended } = await this.database.transaction(tenantId, async (tx) => {
      const change = assertUndoable(await this.changes.find(tx, id), secret);
      await this.users.lock(tx, change.userId);
      await this.users.update(tx, change.userId, { passwordHash: null });
      await this.resets.deleteOfUser(tx, tenantId, change.userId);
      const since = new Date(millisecondsOfId(change.id));
      await this.authenticators.removeSince(tx, change.userId, since);
      await this.passkeys.deleteOfUser(tx, change.userId);
      await this.providerLinks.deleteSince(tx, change.userId, since);
      await this.hostUsers.undoSince(tx, change.userId, since);
      await this.revocations.record(tx, 'user', change.userId);
      return { userId: change.userId, ended: await this.sessions.endAllWithin(tx, change.userId) };
    });
    await this.sessions.forget(ended);
    return userId;
  }

  private async giveBack(origin: TransactionOrigin, id: string, secret: string): Promise<void> {
    const { tenantId } = origin;
    await inWorkspace(this.database, origin, async (tx) => {
      const change = assertUndoable(await this.changes.lock(tx, tenantId, id), secret);
      const { userId, oldEmail } = change;
      const brought = await this.changes.deleteSince(tx, change);
      const user = { tenantId, userId };
      await this.emails.release(
        tx,
        brought.filter((email) => email !== oldEmail),
        user,
      );
      await this.emails.activate(tx, oldEmail, user);
      await this.users.changeEmail(tx, { tenantId, id: userId }, oldEmail);
      const subject = { kind: 'user', id: userId } as const;
      this.trail.record(tx, { action: 'email.change_undone', actor: userActor(userId), subject });
    });
  }
}

function assertUndoable(change: EmailChange | null, secret: string): EmailChange {
  if (!change?.confirmedAt || !change.undoHash || !isSecret(change.undoHash, secret)) {
    throw new PlatformError('INVALID_EMAIL_CHANGE');
  }
  return change;
}
