import { apiKeyStart } from '@crm/access';
import type { Principal } from '@crm/context';
import { PlatformError, type Scope } from '@crm/contracts';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { NewMail } from '../mail/mail.repository.js';
import { MailService } from '../mail/mail.service.js';
import { UserRepository } from '../people/user.repository.js';
import { RecentProof } from '../sessions/recent-proof.js';
import { assertScopesGrantable, assertWithinToken } from './grantable-scopes.js';
import { type IssuedKey, KeyIssueService } from './key-issue.service.js';

const VALID_SECONDS = 3 * 24 * 3600;

/**
 * Tells a user that a key acts for them from now on, so that one that a thief made does not go unnoticed.
 * @param recipient the address of the user
 */
function keyNotice(recipient: string, keyId: string): NewMail {
  const body = [
    `An API key was made for your account. It begins with ${apiKeyStart(keyId)}, and programs that have it act for you.`,
    '',
    'If this was not you, end the key, change your password, and tell the administrator of your workspace.',
    '',
  ].join('\n');
  return { recipient, subject: 'An API key was made for your account', body, validSeconds: VALID_SECONDS };
}

export interface KeyRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresInDays?: number;
}

/** Keys that users make for themselves: programs that have one act for the user, within its scopes. */
@Injectable()
export class PersonalKeyService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly issue: KeyIssueService,
    private readonly proof: RecentProof,
    private readonly mails: MailService,
  ) {}

  /** @throws PlatformError STEP_UP_REQUIRED, SCOPE_NOT_GRANTABLE, API_KEY_LIMIT_EXCEEDED */
  async make(principal: Principal, { name, scopes, expiresInDays }: KeyRequest): Promise<IssuedKey> {
    const { userId } = principal;
    await this.proof.assert(principal);
    assertWithinToken(principal, scopes);
    return this.database.transaction(principal, async (tx) => {
      const user = await this.users.lockForIssue(tx, userId);
      if (user?.status !== 'active') throw new PlatformError('FORBIDDEN', 'The user is not active');
      // Again, now that the user cannot change: what ended the session meanwhile ended the keys that there were.
      await this.proof.assertWithin(tx, principal);
      assertScopesGrantable(user.roles, scopes);
      const owned = { ownerKind: 'user' as const, ownerId: userId, createdBy: userId };
      const issued = await this.issue.issue(tx, { ...owned, name: name.trim(), scopes: [...scopes] }, expiresInDays);
      await this.mails.queue(tx, tx.tenantId, keyNotice(user.email, issued.stored.id));
      return issued;
    });
  }
}
