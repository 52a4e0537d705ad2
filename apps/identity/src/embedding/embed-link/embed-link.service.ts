import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { assertGrantable } from '../../accounts/user/grantable-roles.js';
import { UserRepository } from '../../accounts/user/user.repository.js';
import { AuditTrail } from '../../audit/trail/audit-trail.service.js';
import { RevocationService } from '../../sessions/revocation/revocation.service.js';
import { RecentProof } from '../../sessions/session/recent-proof.js';
import { EmbedUserRepository } from '../embed-user/embed-user.repository.js';
import type { EmbedLinkInput, EmbedLinkView } from './embed-link.dto.js';

/** Links that administrators make: a host user becomes a user of the tenant and has their roles. */
@Injectable()
export class EmbedLinkService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly mapping: EmbedUserRepository,
    private readonly revocations: RevocationService,
    private readonly trail: AuditTrail,
    private readonly proof: RecentProof,
  ) {}

  async list(principal: Principal, appKey: string, sub: string): Promise<EmbedLinkView[]> {
    return this.database.transaction(principal.tenantId, async (tx) => {
      const userId = await this.mapping.findInForce(tx, tx.tenantId, appKey, sub);
      return userId ? [{ appKey, sub, userId }] : [];
    });
  }

  /**
   * Links a host user and replaces an existing link; tokens of the previous user stop working.
   * A stolen access token is not enough: the host could act as the user for good.
   * @throws PlatformError STEP_UP_REQUIRED, NOT_FOUND for a user of another workspace, ROLE_NOT_GRANTABLE for one above the principal
   */
  async link(principal: Principal, link: EmbedLinkInput): Promise<EmbedLinkView> {
    await this.database.transaction(principal, async (tx) => {
      await this.proof.assertWithin(tx, principal);
      await this.mapping.lock(tx, tx.tenantId, link.appKey, link.sub);
      const user = await this.users.find(tx, link.userId);
      if (!user) throw new PlatformError('NOT_FOUND', 'There is no such user');
      assertGrantable(principal, user.roles);
      const before = await this.mapping.find(tx, tx.tenantId, link.appKey, link.sub);
      await this.mapping.link(tx, link.appKey, link.sub, link.userId);
      const { appKey, userId } = link;
      this.trail.record(tx, { action: 'embed_link.set', subject: { kind: 'user', id: userId }, detail: { appKey } });
      if (before && before !== link.userId) await this.revocations.record(tx, 'user', before);
    });
    await this.revocations.publishPending();
    return link;
  }
}
