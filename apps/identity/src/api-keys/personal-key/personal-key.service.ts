import type { Principal } from '@crm/access';
import { PlatformError, type Scope } from '@crm/contracts';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { UserRepository } from '../../accounts/user/user.repository.js';
import { MailService } from '../../mail/mail.service.js';
import { RecentProof } from '../../sessions/session/recent-proof.js';
import { assertScopesGrantable, assertWithinToken } from '../key-issue/grantable-scopes.js';
import { type IssuedKey, KeyIssueService } from '../key-issue/key-issue.service.js';
import { keyNotice } from './key-notice.js';

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
