import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { idPosition, type ListAnswer, type ListQuery, listAnswer, parsePage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../audit/trail/audit-trail.service.js';
import { RevocationService } from '../../sessions/revocation/revocation.service.js';
import type { Grant } from '../grant/grant.entity.js';
import { GrantRepository } from '../grant/grant.repository.js';
import { GrantService } from '../grant/grant.service.js';
import { grantEntry } from '../grant/grant-entry.js';
import { OAuthInstallationRepository } from '../installation/oauth-installation.repository.js';
import { chooseScopes, requiredOf } from '../protocol/chosen-scopes.js';

/** A grant as its user sees it. */
export interface OwnGrant extends Grant {
  /** Those of its scopes that the app cannot work without, as the installed version has it. */
  readonly requiredScopes: string[];
}

/** The apps that act for a user, as the user sees, narrows and ends them. */
@Injectable()
export class OwnGrantService {
  constructor(
    private readonly database: Database,
    private readonly grants: GrantRepository,
    private readonly installations: OAuthInstallationRepository,
    private readonly ending: GrantService,
    private readonly revocations: RevocationService,
    private readonly trail: AuditTrail,
  ) {}

  /** @throws PlatformError INVALID_QUERY for a cursor of another user or list */
  async list({ tenantId, userId }: Principal, query: ListQuery): Promise<ListAnswer<OwnGrant>> {
    const page = parsePage(query, { tenantId, list: 'oauth-grants', filter: userId });
    const { grants, counted } = await this.database.transaction(tenantId, (tx) =>
      this.grants.listOfUser(tx, userId, page),
    );
    return listAnswer(await this.withRequired(tenantId, grants), page, counted, idPosition);
  }

  /**
   * Leaves an app fewer scopes. Its access tokens are cut off within a second; a refresh gives it one with what is left.
   * @returns the grant as it is now
   * @throws PlatformError NOT_FOUND for a grant of another user; SCOPE_NOT_OFFERED for a scope that the grant does not have, because
   *   only a new consent gives more; SCOPE_REQUIRED
   */
  async narrow(principal: Principal, grantId: string, chosen: readonly string[]): Promise<OwnGrant> {
    const { tenantId, userId } = principal;
    const seen = await this.database.transaction(tenantId, (tx) => this.grants.find(tx, grantId));
    if (seen?.userId !== userId) throw noSuchGrant();
    const [{ requiredScopes } = { requiredScopes: [] }] = await this.withRequired(tenantId, [seen]);
    const narrowed = await this.database.transaction(principal, async (tx) => {
      // Held: a refresh at the same time is over, so that the cut-off ends its token, or waits and reads what is left.
      const grant = await this.grants.lock(tx, grantId);
      if (!grant) throw noSuchGrant();
      const scopes = chooseScopes(grant.scopes, requiredScopes, chosen);
      const removed = grant.scopes.filter((scope) => !scopes.includes(scope));
      if (removed.length === 0) return grant;
      await this.grants.setScopes(tx, grantId, scopes);
      // Tokens of this very millisecond too: whoever holds the grant after this makes theirs later.
      await this.revocations.record(tx, 'grant', grantId, Date.now() + 1);
      this.trail.record(tx, grantEntry('oauth_grant.narrowed', grantId, grant, { removed, scopes }));
      return { ...grant, scopes };
    });
    await this.revocations.publishPending();
    return { ...narrowed, requiredScopes };
  }

  /** @throws PlatformError NOT_FOUND for a grant of another user */
  async end(principal: Principal, grantId: string): Promise<void> {
    if (!(await this.ending.end(principal, grantId, principal.userId))) throw noSuchGrant();
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

const noSuchGrant = () => new PlatformError('NOT_FOUND', 'No such app acts for you');
