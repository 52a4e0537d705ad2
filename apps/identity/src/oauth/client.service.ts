import { randomBytes } from 'node:crypto';
import type { Principal } from '@crm/access';
import {
  isScope,
  type OAuthAppStatus,
  type OAuthCredentialsSummary,
  PlatformError,
  type RpcRequest,
  type rpc,
} from '@crm/contracts';
import { Database, inWorkspace, type NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { AuditAction } from '../audit/audit-actions.js';
import type { AuditDetail } from '../audit/audit-entry.entity.js';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { PLATFORM_TENANT } from '../platform-tenant.js';
import { hashOfFingerprint } from '../secrets.js';
import { RevocationService } from '../sessions/revocation.service.js';
import {
  type EndedInstallation,
  type InstallationFacts,
  OAuthAppRepository,
  OAuthInstallationRepository,
} from './client.repository.js';
import { summaryOfSecrets } from './client-secrets.js';
import { GrantRepository } from './grant.repository.js';
import type { OAuthInstallation } from './oauth.entity.js';

export interface IssuedCredentials {
  clientId: string;
  previousSecretValidUntil: string | null;
}

/** Installations as OAuth clients: the marketplace says what they are, administrators of their workspace hold the secrets. */
@Injectable()
export class OAuthInstallationService {
  constructor(
    private readonly database: Database,
    private readonly installations: OAuthInstallationRepository,
    private readonly grants: GrantRepository,
    private readonly revocations: RevocationService,
    private readonly trail: AuditTrail,
  ) {}

  /** @throws PlatformError NOT_FOUND for an installation that has ended or is another workspace's */
  async register(facts: InstallationFacts): Promise<void> {
    await this.database.crossTenant((tx) => this.registerWithin(tx, facts));
  }

  /**
   * Ends an installation for good: first its credentials, so that nothing new is issued, then what it may do for users, and with
   * a cut-off every token that it has; in the workspace of its publisher it takes the embedding with it. Repeating it does no harm.
   */
  async end(installation: EndedInstallation): Promise<void> {
    const { tenantId, installationId } = installation;
    await inWorkspace(this.database, tenantId, async (tx) => {
      const hadSecret = await this.installations.end(tx, installation, newClientId());
      // The removal itself is an entry, `app.uninstalled`.
      if (hadSecret) this.record(tx, 'oauth_credentials.ended', installation);
      const ceased = !installation.sandbox && (await this.installations.endEmbedding(tx, installation));
      if (ceased) await this.revocations.record(tx, 'embedding', installation.appKey);
    });
    await this.database.transaction(tenantId, async (tx) => {
      await this.grants.deleteOfInstallation(tx, installationId);
      await this.revocations.record(tx, 'installation', installationId);
    });
    await this.revocations.publishPending();
  }

  /**
   * Issues credentials for a secret that the caller has made; the previous one stays valid as long as the caller says.
   * @throws PlatformError NOT_FOUND for an installation that has ended or is another workspace's
   */
  async issue(
    principal: Principal,
    { overlapSeconds, fingerprint, ...facts }: RpcRequest<typeof rpc.identity.issueOAuthCredentials>,
  ): Promise<IssuedCredentials> {
    const { tenantId } = principal;
    const stored = await inWorkspace(this.database, principal, async (tx) => {
      const installation = { ...facts, tenantId };
      await this.registerWithin(tx, installation);
      const rotated = await this.installations.rotate(tx, installation, hashOfFingerprint(fingerprint), overlapSeconds);
      if (!rotated) throw installationNotFound();
      this.record(tx, 'oauth_credentials.issued', installation, { clientId: rotated.clientId, overlapSeconds });
      return rotated;
    });
    const previousSecretValidUntil = stored.previousValidUntil?.toISOString() ?? null;
    return { clientId: stored.clientId, previousSecretValidUntil };
  }

  /** The credentials without their secrets; null when none were issued, or the installation is another workspace's. */
  async describe({ tenantId }: Principal, installationId: string): Promise<OAuthCredentialsSummary | null> {
    const found = await this.database.crossTenant((tx) => this.installations.find(tx, tenantId, installationId));
    return found && summaryOf(found);
  }

  /** Ends the previous secret before its time. @returns whether it was still valid */
  async revokePrevious(principal: Principal, installationId: string): Promise<boolean> {
    const { tenantId } = principal;
    return inWorkspace(this.database, principal, async (tx) => {
      const ended = await this.installations.endPrevious(tx, tenantId, installationId);
      if (ended) this.record(tx, 'oauth_credentials.previous_revoked', { installationId });
      return ended;
    });
  }

  private record(
    tx: NarrowTransaction,
    action: AuditAction,
    { installationId, appKey }: { readonly installationId: string; readonly appKey?: string },
    detail: AuditDetail = {},
  ): void {
    const subject = { kind: 'installation', id: installationId } as const;
    this.trail.record(tx, { action, subject, detail: { ...(appKey !== undefined && { appKey }), ...detail } });
  }

  private async registerWithin(tx: NarrowTransaction, facts: InstallationFacts): Promise<void> {
    const unknown = facts.scopes.find((scope) => !isScope(scope));
    if (unknown !== undefined) throw new PlatformError('VALIDATION_FAILED', `Unknown scope "${unknown}"`);
    if ((await this.installations.register(tx, facts, newClientId())) === null) throw installationNotFound();
    if (!facts.sandbox) await this.installations.beginEmbedding(tx, facts);
  }
}

const newClientId = (): string => `app_${randomBytes(16).toString('hex')}`;
const installationNotFound = () => new PlatformError('NOT_FOUND', 'Installation not found');

function summaryOf(client: OAuthInstallation): OAuthCredentialsSummary | null {
  const { clientId, scopes, secretHash, secretCreatedAt } = client;
  if (secretHash === null || secretCreatedAt === null) return null;
  return { clientId, scopes, ...summaryOfSecrets(client, secretCreatedAt) };
}

/** What a publication and the operators decide about an app as a client. */
@Injectable()
export class OAuthAppService {
  constructor(
    private readonly database: Database,
    private readonly apps: OAuthAppRepository,
    private readonly revocations: RevocationService,
  ) {}

  /** Applies the redirect URIs of a published version. Requests under way are checked against them once more. */
  async update(appKey: string, redirectUris: readonly string[]): Promise<void> {
    await this.database.crossTenant((tx) => this.apps.upsert(tx, appKey, { redirectUris: [...redirectUris] }));
  }

  /**
   * Revoking cuts off every token of the app within a second, and tells every service for good that nothing of it works any more; the
   * status, which is stored first, prevents new tokens.
   */
  async setStatus(appKey: string, status: OAuthAppStatus): Promise<void> {
    await this.database.crossTenant((tx) => this.apps.upsert(tx, appKey, { status }));
    if (status !== 'revoked') return;
    await this.database.transaction(PLATFORM_TENANT, async (tx) => {
      await this.revocations.record(tx, 'app', appKey);
      await this.revocations.record(tx, 'revoked_app', appKey);
    });
    await this.revocations.publishPending();
  }
}
