import { randomBytes } from 'node:crypto';
import type { Principal } from '@crm/access';
import { parseUrl } from '@crm/address-policy';
import {
  type EmbedCredentialsSummary,
  isScope,
  PlatformError,
  type RpcRequest,
  type RpcResponse,
  rolesAllow,
  type rpc,
} from '@crm/contracts';
import { Database, inWorkspace, type NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { AuditAction } from '../audit/audit-actions.js';
import type { AuditDetail } from '../audit/audit-entry.entity.js';
import { AuditTrail } from '../audit/audit-trail.service.js';
import { summaryOfSecrets } from '../oauth/client-secrets.js';
import { assertVerified, TenantService } from '../people/people.service.js';
import { hashOfFingerprint } from '../secrets.js';
import { RevocationService } from '../sessions/revocation.service.js';
import { TokenSigner } from '../sessions/signing-key.service.js';
import type { EmbedClient } from './embedding.entity.js';
import { EmbedClientRepository } from './embedding.repository.js';

/** Credentials of embed apps: issued to the app's workspace, presented by its host backend. */
@Injectable()
export class EmbedClientService {
  constructor(
    private readonly database: Database,
    private readonly clients: EmbedClientRepository,
    private readonly tenants: TenantService,
    private readonly trail: AuditTrail,
    private readonly revocations: RevocationService,
    private readonly signer: TokenSigner,
  ) {}

  /**
   * Issues credentials for a secret that the caller has made; the previous one stays valid as long as the caller says. They mint
   * for the workspace that publishes the app and no other.
   * @throws PlatformError FORBIDDEN, EMAIL_NOT_VERIFIED, VALIDATION_FAILED, NOT_FOUND for another workspace's app
   */
  async issue(
    principal: Principal,
    request: RpcRequest<typeof rpc.identity.issueEmbedCredentials>,
  ): Promise<RpcResponse<typeof rpc.identity.issueEmbedCredentials>> {
    assertAdministers(principal);
    const { tenantId } = principal;
    const { reviewed = false, overlapSeconds = 0, appKey } = request;
    const settings = checkedSettings(request);
    const developmentOrigins = checkedDevelopmentOrigins(request.developmentOrigins ?? [], reviewed);
    assertVerified(await this.tenants.get(tenantId));
    const stored = await inWorkspace(this.database, principal, async (tx) => {
      const found = await this.clients.upsert(tx, {
        clientId: `embed_${randomBytes(16).toString('hex')}`,
        appKey,
        tenantId,
        secretHash: hashOfFingerprint(request.fingerprint),
        ...settings,
        reviewed,
        developmentOrigins,
        overlapSeconds,
        issuedBy: principal.userId,
      });
      const detail = { overlapSeconds, reviewed, developmentOrigins };
      if (found) this.record(tx, 'embed_credentials.issued', appKey, detail);
      return found;
    });
    if (!stored) throw new PlatformError('NOT_FOUND', 'App not found');
    const previousSecretValidUntil = stored.previousValidUntil?.toISOString() ?? null;
    return { clientId: stored.clientId, previousSecretValidUntil };
  }

  /** The credentials of an app without its secrets; null for an app that has none, or is another workspace's. */
  async describe(principal: Principal, appKey: string): Promise<EmbedCredentialsSummary | null> {
    assertAdministers(principal);
    const client = await this.database.crossTenant((tx) => this.clients.findOfApp(tx, principal.tenantId, appKey));
    return client && summaryOf(client);
  }

  /** Ends the previous secret before its time. @returns whether it was still valid */
  async revokePrevious(principal: Principal, appKey: string): Promise<boolean> {
    assertAdministers(principal);
    return inWorkspace(this.database, principal, async (tx) => {
      const ended = await this.clients.endPrevious(tx, principal.tenantId, appKey);
      if (ended) this.record(tx, 'embed_credentials.previous_revoked', appKey);
      return ended;
    });
  }

  /**
   * Applies the settings of a version that an operator publishes. The secret stays, so no host has to be changed; origins of
   * the development end, and tokens that were minted before expire within 15 minutes.
   * @returns whether the app has credentials
   * @throws PlatformError VALIDATION_FAILED
   */
  async update(request: RpcRequest<typeof rpc.identity.updateEmbedSettings>): Promise<boolean> {
    const { tenantId, appKey } = request;
    const settings = checkedSettings(request);
    return inWorkspace(this.database, tenantId, async (tx) => {
      const updated = await this.clients.update(tx, { tenantId, appKey, ...settings });
      const { scopes, allowedOrigins } = settings;
      if (updated) this.record(tx, 'embed_credentials.settings_changed', appKey, { scopes, allowedOrigins });
      return updated;
    });
  }

  /** Ends the credentials, and within a second every token that was minted with them. @returns whether there were any */
  async end(principal: Principal, appKey: string): Promise<boolean> {
    assertAdministers(principal);
    const ended = await inWorkspace(this.database, principal, async (tx) => {
      if (!(await this.clients.delete(tx, principal.tenantId, appKey))) return false;
      this.record(tx, 'embed_credentials.ended', appKey);
      await this.revocations.record(tx, 'embedding', appKey);
      return true;
    });
    if (ended) await this.revocations.publishPending();
    return ended;
  }

  /** Origins that may frame the client's page; none for an unknown client, an app that has ended and a suspended workspace. */
  async allowedOrigins(clientId: string): Promise<string[]> {
    const client = await this.database.crossTenant((tx) => this.clients.readOrigins(tx, clientId));
    return client && this.signer.issuesFor(client.tenantId) ? client.origins : [];
  }

  private record(tx: NarrowTransaction, action: AuditAction, appKey: string, detail: AuditDetail = {}): void {
    this.trail.record(tx, { action, subject: { kind: 'app', id: appKey }, detail });
  }
}

function assertAdministers({ roles }: Principal): void {
  if (!rolesAllow(roles, 'administer')) throw new PlatformError('FORBIDDEN');
}

function summaryOf(client: EmbedClient): EmbedCredentialsSummary {
  const { clientId, allowedOrigins, developmentOrigins, scopes, reviewed } = client;
  const secrets = summaryOfSecrets(client, client.secretCreatedAt);
  return { clientId, allowedOrigins, developmentOrigins, scopes, reviewed, ...secrets };
}

type Settings = Pick<EmbedClient, 'allowedOrigins' | 'scopes' | 'linkUsersBy'>;

/** @throws PlatformError VALIDATION_FAILED for an unknown scope or an invalid origin */
function checkedSettings({ allowedOrigins, scopes, linkUsersBy }: Settings): Settings {
  const unknown = scopes.find((scope) => !isScope(scope));
  if (unknown !== undefined) throw new PlatformError('VALIDATION_FAILED', `Unknown scope "${unknown}"`);
  return { allowedOrigins: allowedOrigins.map(canonicalOrigin), scopes, linkUsersBy };
}

/**
 * The canonical spelling of an origin. It becomes part of a response header, so anything that is not exactly an origin is
 * refused here too, although certification has checked it.
 * @throws PlatformError VALIDATION_FAILED
 */
function canonicalOrigin(text: string): string {
  const url = parseUrl(text);
  const isOrigin = url && /^https?:$/.test(url.protocol) && /^[a-z]+:\/\/[^/?#@\s;,*]+\/?$/i.test(text);
  if (!isOrigin)
    throw new PlatformError('VALIDATION_FAILED', 'An allowed origin must consist of scheme, host, and port');
  return url.origin;
}

/**
 * Origins on a developer's machine. Plain http is no danger there, and a manifest, which tenants rely on, cannot name them.
 * @throws PlatformError VALIDATION_FAILED for any other origin, CONFLICT for an app that is reviewed
 */
function checkedDevelopmentOrigins(origins: readonly string[], reviewed: boolean): string[] {
  if (origins.length > 0 && reviewed) {
    throw new PlatformError('CONFLICT', "A reviewed app can't be framed by localhost origins");
  }
  const wrong = origins.findIndex((origin) => !/^http:\/\/localhost(:\d{1,5})?$/.test(origin));
  if (wrong >= 0) {
    throw new PlatformError('VALIDATION_FAILED', 'An origin of the development must be http://localhost with a port');
  }
  return [...new Set(origins.map(canonicalOrigin))];
}
