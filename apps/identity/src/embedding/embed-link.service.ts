import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, type NarrowTransaction } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail, byUser } from '../audit/audit-trail.service.js';
import type { RequestOrigin } from '../audit/request-origin.decorator.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import type { NewMail } from '../mail/mail.repository.js';
import { MailService } from '../mail/mail.service.js';
import { letter, NOTICE_SECONDS, plainName } from '../mail/mail-text.js';
import type { User } from '../people/people.entity.js';
import { TenantRepository, UserRepository } from '../people/people.repository.js';
import { assertGrantable } from '../people/people.service.js';
import { hashSecret, isSecret, newSecret, packToken, unpackToken } from '../secrets.js';
import { RevocationService } from '../sessions/revocation.service.js';
import type { EmbedLinkInput, EmbedLinkView } from './embed-link.dto.js';
import type { MintClient } from './embedding.entity.js';
import { EmbedUserRepository } from './embedding.repository.js';

/** Days for which the link in the mail undoes what it tells of. */
const UNDO_DAYS = 30;

/** Which user of the tenant a host user is: administrators say so, or the host by an address; users can undo the latter. */
@Injectable()
export class EmbedLinkService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly mapping: EmbedUserRepository,
    private readonly tenants: TenantRepository,
    private readonly mails: MailService,
    private readonly revocations: RevocationService,
    private readonly trail: AuditTrail,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  async list(principal: Principal, appKey: string, sub: string): Promise<EmbedLinkView[]> {
    return this.database.transaction(principal.tenantId, async (tx) => {
      const link = await this.mapping.find(tx, tx.tenantId, appKey, sub);
      return link && !link.undoneAt ? [{ appKey, sub, userId: link.userId }] : [];
    });
  }

  /**
   * Links a host user and replaces an existing link; tokens of the previous user stop working.
   * @throws PlatformError NOT_FOUND for a user of another workspace, ROLE_NOT_GRANTABLE for one above the principal
   */
  async link(principal: Principal, link: EmbedLinkInput): Promise<EmbedLinkView> {
    await this.database.transaction(principal, async (tx) => {
      await this.mapping.lock(tx, tx.tenantId, link.appKey, link.sub);
      assertGrantable(principal, (await this.users.get(tx, link.userId)).roles);
      const before = await this.mapping.find(tx, tx.tenantId, link.appKey, link.sub);
      await this.mapping.link(tx, link.appKey, link.sub, link.userId);
      const { appKey, userId } = link;
      this.trail.record(tx, { action: 'embed_link.set', subject: { kind: 'user', id: userId }, detail: { appKey } });
      if (before && before.userId !== link.userId) await this.revocations.record(tx, 'user', before.userId);
    });
    await this.revocations.publishPending();
    return link;
  }

  /** Maps a host user to a user who exists, and tells them. */
  async linkByAddress(
    tx: NarrowTransaction,
    { tenantId, appKey }: MintClient,
    sub: string,
    { id: userId, email }: Pick<User, 'id' | 'email'>,
  ): Promise<void> {
    const secret = newSecret();
    const undo = { undoHash: hashSecret(secret), undoDays: UNDO_DAYS };
    await this.mapping.insert(tx, tenantId, appKey, sub, userId, undo);
    const workspace = (await this.tenants.findAsNarrow(tx, tenantId))?.name ?? '';
    // A fragment reaches the page but not the log of a server.
    const link = `${this.config.service.baseUrl}/undo-link#token=${packToken(tenantId, userId, secret)}`;
    await this.mails.queue(tx, tenantId, firstLinkMail(email, appKey, workspace, link));
  }

  /** The host user is refused until an administrator links them again. @throws PlatformError INVALID_UNDO_LINK */
  async undo(token: string, origin: RequestOrigin): Promise<void> {
    const presented = unpackToken(token);
    if (!presented) throw new PlatformError('INVALID_UNDO_LINK');
    const { tenantId, id: userId, secret } = presented;
    await this.database.transaction({ ...origin, tenantId }, async (tx) => {
      const links = await this.mapping.lockUndoable(tx, userId);
      const link = links.find(({ undoHash }) => undoHash && isSecret(undoHash, secret));
      if (!link) throw new PlatformError('INVALID_UNDO_LINK');
      await this.mapping.undo(tx, link);
      await this.revocations.record(tx, 'user', userId);
      this.trail.record(tx, byUser('embed_link.undone', userId, { appKey: link.appKey }));
    });
    await this.revocations.publishPending();
  }
}

/** Tells a user that a host signs someone in as them from now on, because it says that they have the same address. */
const firstLinkMail = (recipient: string, appKey: string, workspace: string, link: string): NewMail =>
  letter(recipient, `The app ${appKey} now works in your name`, NOTICE_SECONDS, [
    `a product that embeds the app ${appKey} has signed a user with your email address in to the workspace`,
    `${plainName(workspace)}. From now on that user works there as you and with your rights.`,
    '',
    'If that is you, there is nothing to do. If it is not, undo it here:',
    '',
    link,
    '',
    `The link works once and for ${UNDO_DAYS} days. Afterwards an administrator of the workspace can change the link.`,
  ]);
