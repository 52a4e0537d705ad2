import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database, type TenantTransaction, type TransactionOrigin } from '@crm/database';
import { idPosition, type ListAnswer, type ListQuery, listAnswer, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type { AuditAction } from '../audit/audit-actions.js';
import type { AuditDetail } from '../audit/audit-entry.entity.js';
import { AuditTrail, type NewAuditEntry } from '../audit/audit-trail.service.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { SessionService } from '../sessions/session.service.js';
import { OAuthInstallationRepository } from './client.repository.js';
import { type EndedGrant, GrantRepository } from './grant.repository.js';
import type { GrantView } from './oauth.dto.js';
import type { Grant } from './oauth.entity.js';
import { chooseScopes, requiredOf } from './token-request.js';

/** The entry of the audit trail about a grant that was narrowed or has ended: it is about the user for whom the app acts. */
export const grantEntry = (
  action: Extract<AuditAction, 'oauth_grant.narrowed' | 'oauth_grant.ended' | 'oauth_grant.replay_noticed'>,
  grantId: string,
  { userId, appKey, installationId }: EndedGrant,
  detail: AuditDetail = {},
): NewAuditEntry => ({
  action,
  subject: { kind: 'user', id: userId },
  detail: { appKey, installationId, grantId, ...detail },
});

/** A grant as its user sees it. */
export interface OwnGrant extends Grant {
  /** Those of its scopes that the app cannot work without, as the installed version has it. */
  readonly requiredScopes: string[];
}

/** What apps may do for users, as a user sees, narrows and ends it. */
@Injectable()
export class GrantService {
  constructor(
    private readonly database: Database,
    private readonly grants: GrantRepository,
    private readonly installations: OAuthInstallationRepository,
    private readonly revocations: RevocationService,
    private readonly trail: AuditTrail,
    sessions: SessionService,
  ) {
    sessions.alsoEnd({ endsWith: 'sessions', endAllWithin: (tx, userId) => this.endAllWithin(tx, userId) });
  }

  /** Cuts its access tokens off within a second. @param userId only if it is this user's @returns whether there was one */
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

  /** @throws PlatformError INVALID_QUERY for a cursor of another user or list */
  async list({ tenantId, userId }: Principal, query: ListQuery): Promise<ListAnswer<OwnGrant>> {
    const page = parsePage(query, { tenantId, list: 'oauth-grants', filter: userId });
    const found = await this.database.transaction(tenantId, (tx) => this.grants.listOfUser(tx, userId, page));
    return listAnswer(await this.withRequired(tenantId, found.rows), page, found.counted, idPosition);
  }

  /**
   * Leaves an app fewer scopes. Its access tokens are cut off within a second; a refresh gives it one with what is left.
   * @throws PlatformError NOT_FOUND for a grant of another user; SCOPE_NOT_OFFERED for a scope that the grant does not have, because
   *   only a new consent gives more; SCOPE_REQUIRED
   */
  async narrow(principal: Principal, grantId: string, chosen: readonly string[]): Promise<OwnGrant> {
    const { tenantId, userId } = principal;
    const seen = await this.database.transaction(tenantId, (tx) => this.grants.find(tx, grantId));
    if (seen?.userId !== userId) throw grantNotFound();
    const [{ requiredScopes } = { requiredScopes: [] }] = await this.withRequired(tenantId, [seen]);
    const narrowed = await this.database.transaction(principal, async (tx) => {
      // Held: a refresh at the same time is over, so that the cut-off ends its token, or waits and reads what is left.
      const grant = await this.grants.lock(tx, grantId);
      if (!grant) throw grantNotFound();
      const scopes = chooseScopes(grant.scopes, requiredScopes, chosen);
      const removed = grant.scopes.filter((scope) => !scopes.includes(scope));
      if (removed.length === 0) return grant;
      await this.grants.setScopes(tx, grantId, scopes);
      // Tokens of this very millisecond too: anyone who holds the grant after this makes theirs later.
      await this.revocations.record(tx, 'grant', grantId, Date.now() + 1);
      this.trail.record(tx, grantEntry('oauth_grant.narrowed', grantId, grant, { removed, scopes }));
      return { ...grant, scopes };
    });
    await this.revocations.publishPending();
    return { ...narrowed, requiredScopes };
  }

  /** @throws PlatformError NOT_FOUND for a grant of another user */
  async endOwn(principal: Principal, grantId: string): Promise<void> {
    if (!(await this.end(principal, grantId, principal.userId))) throw grantNotFound();
  }

  private async withRequired(tenantId: string, grants: readonly Grant[]): Promise<OwnGrant[]> {
    const ids = [...new Set(grants.map(({ installationId }) => installationId))];
    if (ids.length === 0) return [];
    const required = await this.database.crossTenant((tx) => this.installations.findRequiredScopes(tx, tenantId, ids));
    return grants.map((grant) => ({
      ...grant,
      requiredScopes: requiredOf(grant.scopes, required.get(grant.installationId) ?? []),
    }));
  }
}

export function grantView({ id, appKey, appName, publisher, installationId, scopes, ...times }: Grant): GrantView {
  return {
    id,
    app: { key: appKey, name: appName, publisher },
    installationId,
    scopes,
    createdAt: times.createdAt.toISOString(),
    lastUsedAt: times.lastUsedAt.toISOString(),
    expiresAt: times.expiresAt.toISOString(),
  };
}

const grantNotFound = () => new PlatformError('NOT_FOUND', 'Connected app not found');
