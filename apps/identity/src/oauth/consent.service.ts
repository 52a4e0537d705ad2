import type { Principal } from '@crm/access';
import { PlatformError, type Scope, scopeEntry } from '@crm/contracts';
import { Database, inWorkspace, type NarrowTransaction, newId } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import type { AuditDetail } from '../audit/audit-entry.entity.js';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { TenantService } from '../people/tenant.service.js';
import { UserRepository } from '../people/user.repository.js';
import { hashSecret } from '../secrets.js';
import { RecentProof } from '../sessions/recent-proof.js';
import { type WorkspaceTransaction } from '../tenant-row.js';
import { AuthorizationCodeRepository } from './authorization-code.repository.js';
import { AuthorizationRequestRepository } from './authorization-request.repository.js';
import { invalidRequest, redirectTo } from './authorization-request.service.js';
import { OAuthAppRepository, OAuthInstallationRepository } from './client.repository.js';
import { newGrantText } from './grant.repository.js';
import type { ConsentView, DecisionInput, RequestedScopeView } from './oauth.dto.js';
import { AuthorizationRequest, type OAuthInstallation } from './oauth.entity.js';
import { chooseScopes, intersectScopes, requiredOf } from './token-request.js';

/** A scope as the user who consents is shown it. */
function describeScope(name: Scope, required: boolean): RequestedScopeView {
  const writes = !name.endsWith(':read');
  const description = scopeEntry(name)?.[writes ? 'writes' : 'reads'].en ?? name;
  return { name, description, writes, required };
}

interface Asked {
  readonly request: AuthorizationRequest;
  readonly installation: OAuthInstallation;
  /** What the user would allow. */
  readonly scopes: Scope[];
  /** Those of them that the user cannot leave out. */
  readonly requiredScopes: string[];
}

/** Users decide whether an app may act for them. */
@Injectable()
export class ConsentService {
  constructor(
    private readonly database: Database,
    private readonly requests: AuthorizationRequestRepository,
    private readonly apps: OAuthAppRepository,
    private readonly installations: OAuthInstallationRepository,
    private readonly codes: AuthorizationCodeRepository,
    private readonly tenants: TenantService,
    private readonly users: UserRepository,
    private readonly proof: RecentProof,
    private readonly trail: AuditTrail,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /** @throws PlatformError INVALID_AUTHORIZATION_REQUEST, APP_NOT_INSTALLED, INSUFFICIENT_SCOPE when nothing could be allowed */
  async describe({ tenantId }: Principal, id: string): Promise<ConsentView> {
    const { request, installation, scopes, requiredScopes } = await this.find(tenantId, id);
    const { name } = await this.tenants.get(tenantId);
    const { appKey, appName, publisher } = installation;
    const { maxSeconds, idleSeconds } = this.config.sessions;
    return {
      id,
      app: { key: appKey, name: appName, publisher },
      tenant: { id: tenantId, name },
      scopes: scopes.map((scope) => describeScope(scope, requiredScopes.includes(scope))),
      accessPeriod: { maxSeconds, idleSeconds: Math.min(idleSeconds, maxSeconds) },
      redirectHost: new URL(request.redirectUri).host,
      expiresAt: request.expiresAt.toISOString(),
    };
  }

  /**
   * Ends the request by a decision. A stolen access token is not enough to approve: its grant would outlive it.
   * @throws PlatformError STEP_UP_REQUIRED, INVALID_AUTHORIZATION_REQUEST, APP_NOT_INSTALLED, INSUFFICIENT_SCOPE; SCOPE_NOT_OFFERED
   *   and SCOPE_REQUIRED for a choice that cannot be made, which leaves the request open
   */
  async decide(principal: Principal, id: string, { decision, scopes: chosen }: DecisionInput): Promise<string> {
    if (decision === 'approve') await this.proof.assert(principal);
    const { tenantId, userId } = principal;
    const { request, installation, scopes: offered, requiredScopes: required } = await this.find(tenantId, id);
    const { issuer } = this.config.service;
    if (decision === 'deny') {
      await inWorkspace(this.database, principal, async (tx) => {
        await this.end(tx, id);
        this.record(tx, 'oauth_grant.denied', principal, installation);
      });
      return redirectTo(request, issuer, { error: 'access_denied', error_description: 'The user denied the request' });
    }
    const scopes = chooseScopes(offered, required, chosen ?? offered);
    const withheld = offered.filter((scope) => !scopes.includes(scope));
    await this.database.crossTenant((tx) => this.end(tx, id));
    const { installationId, appKey, appName, publisher } = installation;
    const grantId = newId();
    const code = newGrantText({ tenantId, grantId, installationId });
    const { redirectUri, codeChallenge } = request;
    const approved = { installationId, appKey, appName, publisher, userId, redirectUri, scopes, codeChallenge };
    await this.database.transaction(principal, async (tx) => {
      // Again, now that the user cannot change: what ended the session meanwhile ended the grants that there were.
      const user = await this.users.lockForIssue(tx, userId);
      if (user?.status !== 'active') throw new PlatformError('FORBIDDEN', "The user isn't active");
      await this.proof.assertWithin(tx, principal);
      await this.codes.insert(tx, { id: grantId, codeHash: hashSecret(code), ...approved });
      const detail = { grantId, scopes, ...(withheld.length > 0 && { withheld }) };
      this.record(tx, 'oauth_grant.approved', principal, installation, detail);
    });
    return redirectTo(request, issuer, { code, installation_id: installationId });
  }

  /** @throws PlatformError INVALID_AUTHORIZATION_REQUEST when it was decided meanwhile */
  private async end(tx: NarrowTransaction, id: string): Promise<void> {
    if (!(await this.requests.delete(tx, hashSecret(id)))) throw invalidRequest();
  }

  private record(
    tx: WorkspaceTransaction,
    action: 'oauth_grant.approved' | 'oauth_grant.denied',
    { userId }: Principal,
    { appKey, installationId }: OAuthInstallation,
    detail: AuditDetail = {},
  ): void {
    const subject = { kind: 'user', id: userId } as const;
    this.trail.record(tx, { action, subject, detail: { appKey, installationId, ...detail } });
  }

  /** What has changed since the app sent the browser counts: its status, its redirect URIs, the installation, its scopes. */
  private async find(tenantId: string, id: string): Promise<Asked> {
    return this.database.crossTenant(async (tx) => {
      const request = await this.requests.find(tx, hashSecret(id));
      if (!request) throw invalidRequest();
      const { appKey, installationId, redirectUri } = request;
      const app = await this.apps.find(tx, appKey);
      const installation =
        installationId === null
          ? await this.installations.findLive(tx, tenantId, appKey)
          : await this.installations.find(tx, tenantId, installationId);
      if (!installation || installation.appKey !== appKey) throw new PlatformError('APP_NOT_INSTALLED');
      const allowed = installation.sandbox ? installation.redirectUris : app.redirectUris;
      if (app.status !== 'active' || !allowed.includes(redirectUri)) throw invalidRequest();
      const scopes = intersectScopes(request.scopes, installation.scopes) as Scope[];
      if (scopes.length === 0) {
        throw new PlatformError('INSUFFICIENT_SCOPE', "The workspace hasn't granted any of the requested scopes");
      }
      return { request, installation, scopes, requiredScopes: requiredOf(scopes, installation.requiredScopes) };
    });
  }
}
