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
import { assertVerified, TenantService } from '../people/tenant.service.js';
import { hashOfFingerprint } from '../secret.js';
import { EmbedClientRepository } from './embed-client.repository.js';
import type { EmbedClient } from './embedding.entity.js';

/** Credentials of embed apps: issued to the app's workspace, presented by its host backend. */
@Injectable()
export class EmbedClientService {
  constructor(
    private readonly database: Database,
    private readonly clients: EmbedClientRepository,
    private readonly tenants: TenantService,
    private readonly trail: AuditTrail,
  ) {}

  /**
   * Issues credentials for a secret that the caller has made; the previous one stays valid as long as the caller says. They mint
   * for the workspace that publishes the app and no other.
   * @param principal an administrator of the app's workspace
   * @throws PlatformError FORBIDDEN, EMAIL_NOT_VERIFIED, VALIDATION_FAILED, NOT_FOUND for another workspace's app
   */
  async issue(
    principal: Principal | undefined,
    request: RpcRequest<typeof rpc.identity.issueEmbedCredentials>,
  ): Promise<RpcResponse<typeof rpc.identity.issueEmbedCredentials>> {
    const administrating = administrator(principal);
    const { tenantId } = administrating;
    const { reviewed = false, developmentOrigins = [], overlapSeconds = 0, appKey } = request;
    const settings = checkedSettings(request);
    const development = checkedDevelopmentOrigins(developmentOrigins, reviewed);
    assertVerified(await this.tenants.get(tenantId));
    const stored = await inWorkspace(this.database, administrating, async (tx) => {
      const found = await this.clients.upsert(tx, {
        clientId: `embed_${randomBytes(16).toString('hex')}`,
        appKey,
        tenantId,
        secretHash: hashOfFingerprint(request.fingerprint),
        ...settings,
        reviewed,
        developmentOrigins: development,
        overlapSeconds,
      });
      if (found) this.record(tx, 'embed_credentials.issued', appKey, { overlapSeconds, reviewed });
      return found;
    });
    if (!stored) throw new PlatformError('NOT_FOUND', 'There is no such app');
    const previousSecretValidUntil = stored.previousValidUntil?.toISOString() ?? null;
    return { clientId: stored.clientId, previousSecretValidUntil };
  }

  /**
   * The credentials of an app without its secrets.
   * @param principal an administrator of the app's workspace
   * @returns null for an app that has none, or is another workspace's
   * @throws PlatformError FORBIDDEN
   */
  async describe(principal: Principal | undefined, appKey: string): Promise<EmbedCredentialsSummary | null> {
    const { tenantId } = administrator(principal);
    const client = await this.database.crossTenant((tx) => this.clients.findOfApp(tx, tenantId, appKey));
    return client && summaryOf(client);
  }

  /**
   * Ends the previous secret before its time.
   * @param principal an administrator of the app's workspace
   * @returns whether it was still valid
   * @throws PlatformError FORBIDDEN
   */
  async revokePrevious(principal: Principal | undefined, appKey: string): Promise<boolean> {
    const administrating = administrator(principal);
    return inWorkspace(this.database, administrating, async (tx) => {
      const ended = await this.clients.endPrevious(tx, administrating.tenantId, appKey);
      if (ended) this.record(tx, 'embed_credentials.previous_revoked', appKey);
      return ended;
    });
  }

  /**
   * Applies the embedding settings of a version that an operator publishes. The secret stays, so no host has to be changed;
   * origins of the development end, and tokens that were minted before expire within 15 minutes.
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

  /** Origins that may frame the client's page; none for an unknown client. */
  async allowedOrigins(clientId: string): Promise<string[]> {
    const client = await this.database.crossTenant((tx) => this.clients.find(tx, clientId));
    return client ? [...client.allowedOrigins, ...client.developmentOrigins] : [];
  }

  private record(tx: NarrowTransaction, action: AuditAction, appKey: string, detail: AuditDetail = {}): void {
    this.trail.record(tx, { action, subject: { kind: 'app', id: appKey }, detail });
  }
}

/** @throws PlatformError FORBIDDEN */
function administrator(principal: Principal | undefined): Principal {
  if (!principal || !rolesAllow(principal.roles, 'administer')) throw new PlatformError('FORBIDDEN');
  return principal;
}

function summaryOf(client: EmbedClient): EmbedCredentialsSummary {
  const { clientId, allowedOrigins, developmentOrigins, scopes, reviewed, previousValidUntil } = client;
  const isPreviousValid =
    client.previousSecretHash !== null && previousValidUntil !== null && previousValidUntil.getTime() > Date.now();
  return {
    clientId,
    allowedOrigins,
    developmentOrigins,
    scopes,
    reviewed,
    secret: secretOf(client.secretCreatedAt, client.secretLastUsedAt),
    previousSecret: isPreviousValid
      ? {
          ...secretOf(client.previousSecretCreatedAt ?? client.secretCreatedAt, client.previousSecretLastUsedAt),
          validUntil: previousValidUntil.toISOString(),
        }
      : null,
  };
}

const secretOf = (createdAt: Date, lastUsedAt: Date | null) => ({
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
});

type Settings = Pick<EmbedClient, 'allowedOrigins' | 'scopes' | 'linkUsersBy'>;

/** @throws PlatformError VALIDATION_FAILED for an unknown scope or an invalid origin */
function checkedSettings({ allowedOrigins, scopes, linkUsersBy }: Settings): Settings {
  const unknown = scopes.find((scope) => !isScope(scope));
  if (unknown !== undefined) throw new PlatformError('VALIDATION_FAILED', `There is no scope ${unknown}`);
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
  if (!isOrigin) throw new PlatformError('VALIDATION_FAILED', 'An allowed origin must be scheme, host and port');
  return url.origin;
}

/**
 * Origins on the machine of a developer. Plain http is no danger there, and a manifest, which every tenant relies on, cannot
 * name them.
 * @throws PlatformError VALIDATION_FAILED for any other origin, CONFLICT for an app that is reviewed
 */
function checkedDevelopmentOrigins(origins: readonly string[], reviewed: boolean): string[] {
  if (origins.length > 0 && reviewed) {
    throw new PlatformError('CONFLICT', 'An app that has been reviewed cannot be framed by origins on localhost');
  }
  const wrong = origins.findIndex((origin) => !/^http:\/\/localhost(:\d{1,5})?$/.test(origin));
  if (wrong >= 0) {
    throw new PlatformError('VALIDATION_FAILED', 'An origin of the development must be http://localhost with a port');
  }
  return [...new Set(origins.map(canonicalOrigin))];
}
