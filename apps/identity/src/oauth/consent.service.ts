import type { Principal } from '@crm/access';
import { isUuid, PlatformError, type Scope, scopeEntry } from '@crm/contracts';
import { Database, inWorkspace, type NarrowTransaction, newId, secondsFromNow } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import type { AuditDetail } from '../audit/audit-entry.entity.js';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { UserRepository } from '../people/people.repository.js';
import { TenantService } from '../people/people.service.js';
import { hashSecret, newSecret } from '../secrets.js';
import { RecentProof } from '../sessions/proof.service.js';
import { FUTURE, hasChangedOne, type WorkspaceTransaction } from '../tenant-row.js';
import { OAuthAppRepository, OAuthInstallationRepository } from './client.repository.js';
import { AuthorizationCodeRepository, newGrantText } from './grant.repository.js';
import type { ConsentView, DecisionInput, RequestedScopeView } from './oauth.dto.js';
import { AuthorizationRequest, type OAuthInstallation } from './oauth.entity.js';
import { OAuthError, type OAuthErrorCode } from './oauth-error.js';
import { chooseScopes, intersectScopes, type Parameters, parseScopes, requiredOf } from './token-request.js';

/** Time to sign in, with a second factor, and to read what the app asks for. */
const VALID_SECONDS = 600;

@Injectable()
export class AuthorizationRequestRepository {
  async insert(tx: NarrowTransaction, request: Omit<AuthorizationRequest, 'expiresAt'>): Promise<void> {
    await tx.repository(AuthorizationRequest).insert({ ...request, expiresAt: secondsFromNow(VALID_SECONDS) });
  }

  async find(tx: NarrowTransaction, requestHash: Buffer): Promise<AuthorizationRequest | null> {
    return tx.repository(AuthorizationRequest).findOneBy({ requestHash, expiresAt: FUTURE });
  }

  /** @returns whether it was there: of two decisions at once one is made */
  async delete(tx: NarrowTransaction, requestHash: Buffer): Promise<boolean> {
    return hasChangedOne(await tx.repository(AuthorizationRequest).delete({ requestHash, expiresAt: FUTURE }));
  }
}

/** What an app is told at its redirect URI: a code, or why there is none. */
export type RedirectAnswer =
  | { readonly code: string; readonly installation_id: string }
  | { readonly error: OAuthErrorCode; readonly error_description: string };

/** `iss` tells an app that talks to several servers which one has answered (RFC 9207). */
export function redirectTo(to: Pick<CheckedClient, 'redirectUri' | 'state'>, issuer: string, answer: RedirectAnswer) {
  const { redirectUri, state } = to;
  const parameters = new URLSearchParams({ ...answer, ...(state !== null && { state }), iss: issuer });
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${parameters}`;
}

/** A SHA-256 in base64url (RFC 7636, section 4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** The client of a request, once it is certain that a browser may be sent back to it. */
interface CheckedClient {
  readonly appKey: string;
  readonly installationId: string | null;
  readonly redirectUri: string;
  readonly state: string | null;
  /** True when an operator has let the redirect URI pass. */
  readonly reviewed: boolean;
}

/** Requests of apps to act for a user (RFC 6749, section 4.1.1, with what OAuth 2.1 demands). */
@Injectable()
export class AuthorizationRequestService {
  constructor(
    private readonly database: Database,
    private readonly requests: AuthorizationRequestRepository,
    private readonly apps: OAuthAppRepository,
    private readonly installations: OAuthInstallationRepository,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /**
   * Checks a request and stores it.
   * @returns where the browser is sent: to the page that asks the user, or back to the app with an error
   * @throws OAuthError when the app or its redirect URI is not known: nobody may be sent to an address that is not registered
   */
  async begin(parameters: Parameters): Promise<string> {
    const client = await this.checkClient(parameters);
    try {
      return await this.store(client, parameters);
    } catch (error) {
      // An address that nobody has reviewed gets a browser only after its user has agreed (RFC 9700, section 4.11.2).
      if (!(error instanceof OAuthError) || !client.reviewed) throw error;
      const answer = { error: error.error, error_description: error.description };
      return redirectTo(client, this.config.service.issuer, answer);
    }
  }

  private async checkClient(parameters: Parameters): Promise<CheckedClient> {
    const appKey = parameters.get('client_id');
    const redirectUri = parameters.get('redirect_uri');
    const installationId = parameters.find('installation_id') ?? null;
    const state = parameters.find('state') ?? null;
    if (installationId !== null && !isUuid(installationId)) {
      throw new OAuthError('invalid_request', "The installation's state is not known");
    }
    const reviewed = await this.database.crossTenant(async (tx) => {
      const { redirectUris, status } = await this.apps.find(tx, appKey);
      if (status !== 'active') throw new OAuthError('unauthorized_client', 'The app is suspended');
      const sandbox = installationId === null ? null : await this.findSandbox(tx, appKey, installationId);
      const allowed = sandbox?.redirectUris ?? redirectUris;
      // Compared as text (RFC 9700, section 2.1): nothing is decoded, normalised or matched by its beginning.
      if (!allowed.includes(redirectUri)) {
        throw new OAuthError('invalid_request', "The app or redirect URI isn't registered");
      }
      return sandbox === null;
    });
    return { appKey, installationId: installationId?.toLowerCase() ?? null, redirectUri, state, reviewed };
  }

  /** A sandbox has the redirect URIs of its own version, every other installation those of the published version. */
  private async findSandbox(tx: NarrowTransaction, appKey: string, id: string): Promise<OAuthInstallation | null> {
    const named = await this.installations.findOfApp(tx, appKey, id);
    if (!named) throw new OAuthError('invalid_request', "The installation's state is not known");
    return named.sandbox ? named : null;
  }

  private async store({ reviewed: _, ...client }: CheckedClient, parameters: Parameters): Promise<string> {
    if (parameters.get('response_type') !== 'code') {
      throw new OAuthError('unsupported_response_type', 'response_type must be code');
    }
    const codeChallenge = parameters.find('code_challenge');
    // Without a method RFC 7636 means `plain`, which protects nothing: it has to be named.
    if (parameters.find('code_challenge_method') !== 'S256' || codeChallenge === undefined) {
      throw new OAuthError('invalid_request', 'code_challenge with code_challenge_method=S256 is required');
    }
    if (!CHALLENGE.test(codeChallenge)) throw new OAuthError('invalid_request', "code_challenge isn't valid");
    const scopes = parseScopes(parameters.find('scope')) ?? null;
    const id = newSecret();
    const request = { ...client, scopes, codeChallenge, requestHash: hashSecret(id) };
    await this.database.crossTenant((tx) => this.requests.insert(tx, request));
    return `${this.config.service.baseUrl}/account/authorize?request=${id}`;
  }
}

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

const invalidRequest = () => new PlatformError('INVALID_AUTHORIZATION_REQUEST');
