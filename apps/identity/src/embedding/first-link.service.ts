import { PlatformError } from '@crm/contracts';
import { Database, type NarrowTransaction } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { userActor } from '../audit/audit-actor.js';
import { AuditTrail } from '../audit/audit-trail.service.js';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { MailService } from '../mail/mail.service.js';
import { packIds, unpackIds } from '../packed-ids.js';
import { TenantRepository } from '../people/tenant.repository.js';
import { UserRepository } from '../people/user.repository.js';
import { hashSecret, isSecret, newSecret } from '../secret.js';
import { RevocationService } from '../sessions/revocation.service.js';
import type { MintClient } from './embed-client.entity.js';
import { EmbedUserRepository } from './embed-user.repository.js';
import { firstLinkMail, UNDO_DAYS } from './first-link.mail.js';

/** Links that a host makes by saying that its user has the address of a user: the user is told and can undo them. */
@Injectable()
export class FirstLinkService {
  constructor(
    private readonly database: Database,
    private readonly mapping: EmbedUserRepository,
    private readonly users: UserRepository,
    private readonly tenants: TenantRepository,
    private readonly mails: MailService,
    private readonly revocations: RevocationService,
    private readonly trail: AuditTrail,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /** Maps a host user to a user who exists, and tells them. */
  async insert(tx: NarrowTransaction, client: MintClient, sub: string, userId: string): Promise<void> {
    const { tenantId, appKey } = client;
    const user = await this.users.findContact(tx, tenantId, userId);
    if (!user) throw new Error('A user with an address for sign-in does not exist');
    const secret = newSecret();
    const undo = { undoHash: hashSecret(secret), undoDays: UNDO_DAYS };
    await this.mapping.insert(tx, tenantId, appKey, sub, userId, undo);
    const workspace = (await this.tenants.findAsNarrow(tx, tenantId))?.name ?? '';
    // A fragment reaches the page but not the log of a server.
    const link = `${this.config.service.baseUrl}/undo-link#token=${packIds(tenantId, userId)}.${secret}`;
    await this.mails.queue(tx, tenantId, firstLinkMail(user.email, appKey, workspace, link));
  }

  /**
   * Ends a link for good: the host user is refused until an administrator links them again. Tokens that were minted for the
   * user stop working.
   * @param token what the mail carries
   * @param origin where the call comes from
   * @throws PlatformError INVALID_UNDO_LINK for a wrong, expired or spent token
   */
  async undo(token: string, origin: RequestOrigin): Promise<void> {
    const [ids = '', secret = ''] = token.split('.');
    const [tenantId, userId] = unpackIds(ids, 2) ?? [];
    if (!tenantId || !userId) throw new PlatformError('INVALID_UNDO_LINK');
    await this.database.transaction({ ...origin, tenantId }, async (tx) => {
      const links = await this.mapping.lockUndoable(tx, userId);
      const link = links.find(({ undoHash }) => undoHash && isSecret(undoHash, secret));
      if (!link) throw new PlatformError('INVALID_UNDO_LINK');
      await this.mapping.undo(tx, link);
      await this.revocations.record(tx, 'user', userId);
      this.trail.record(tx, {
        action: 'embed_link.undone',
        actor: userActor(userId),
        subject: { kind: 'user', id: userId },
        detail: { appKey: link.appKey },
      });
    });
    await this.revocations.publishPending();
  }
}
