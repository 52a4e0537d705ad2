import type { Principal } from '@crm/context';
import { PlatformError } from '@crm/contracts';
import { Database, type TransactionOrigin } from '@crm/database';
import { idPosition, type ListAnswer, type ListQuery, listAnswer, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../audit/trail/audit-trail.service.js';
import { RevocationService } from '../../sessions/revocation/revocation.service.js';
import { grantEntry } from './ended-grant.js';
import type { Grant } from './grant.entity.js';
import { GrantRepository } from './grant.repository.js';

/** The apps that act for a user, as the user sees and ends them. */
@Injectable()
export class GrantService {
  constructor(
    private readonly database: Database,
    private readonly grants: GrantRepository,
    private readonly revocations: RevocationService,
    private readonly trail: AuditTrail,
  ) {}

  /** @throws PlatformError INVALID_QUERY for a cursor of another user or list */
  async list({ tenantId, userId }: Principal, query: ListQuery): Promise<ListAnswer<Grant>> {
    const page = parsePage(query, { tenantId, list: 'oauth-grants', filter: userId });
    const { grants, counted } = await this.database.transaction(tenantId, (tx) =>
      this.grants.listOfUser(tx, userId, page),
    );
    return listAnswer(grants, page, counted, idPosition);
  }

  /** @throws PlatformError NOT_FOUND for a grant of another user */
  async endOwn(principal: Principal, grantId: string): Promise<void> {
    const found = await this.end(principal, grantId, principal.userId);
    if (!found) throw new PlatformError('NOT_FOUND', 'No such app acts for you');
  }

  /**
   * Ends a grant: its refresh tokens are gone and its access tokens are cut off within a second.
   * @param by who ends it, in the tenant of the grant
   * @param userId only if it is this user's
   * @returns whether there was one
   */
  async end(by: TransactionOrigin, grantId: string, userId?: string): Promise<boolean> {
    const ended = await this.database.transaction(by, async (tx) => {
      const grant = await this.grants.delete(tx, grantId, userId);
      if (!grant) return false;
      await this.revocations.record(tx, 'session', grantId);
      this.trail.record(tx, grantEntry('oauth_grant.ended', grantId, grant));
      return true;
    });
    if (ended) await this.revocations.publishPending();
    return ended;
  }
}
