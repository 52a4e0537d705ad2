import { Database, type TenantTransaction, type TransactionOrigin } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { SessionService } from '../sessions/session.service.js';
import { GrantRepository } from './grant.repository.js';
import { grantEntry } from './grant-entry.js';

/** Ends what an app may do for a user. */
@Injectable()
export class GrantService {
  constructor(
    private readonly database: Database,
    private readonly grants: GrantRepository,
    private readonly revocations: RevocationService,
    private readonly trail: AuditTrail,
    sessions: SessionService,
  ) {
    sessions.alsoEnd({ endsWith: 'sessions', endAllWithin: (tx, userId) => this.endAllWithin(tx, userId) });
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

  /** After the commit the cut-offs have to be published: `RevocationService.publishPending`. */
  private async endAllWithin(tx: TenantTransaction, userId: string): Promise<string[]> {
    const grants = await this.grants.deleteOfUser(tx, userId);
    for (const id of grants) await this.revocations.record(tx, 'session', id);
    return grants;
  }
}
