import { randomBytes } from 'node:crypto';
import { parseUrl } from '@crm/address-policy';
import type { Principal } from '@crm/context';
import { isScope, PlatformError, type RpcRequest, rolesAllow, type rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { hashSecret, isSecret, newSecret } from '../../secrets/secret.js';
import type { EmbedClient } from './embed-client.entity.js';
import { EmbedClientRepository } from './embed-client.repository.js';

/** Compared against for an unknown client id, so that it takes as long as a wrong secret. */
const NO_SECRET = hashSecret(newSecret());

/** Credentials of embed apps: issued to the app's workspace, presented by its host backend. */
@Injectable()
export class EmbedClientService {
  constructor(
    private readonly database: Database,
    private readonly clients: EmbedClientRepository,
  ) {}

  /**
   * Issues credentials; the previous secret stops working at once. The new one is shown only here.
   * @param principal an administrator of the app's workspace
   * @throws PlatformError FORBIDDEN, VALIDATION_FAILED, NOT_FOUND for another workspace's app
   */
  async issue(
    principal: Principal | undefined,
    request: RpcRequest<typeof rpc.identity.issueEmbedCredentials>,
  ): Promise<{ clientId: string; clientSecret: string }> {
    if (!principal || !rolesAllow(principal.roles, 'administer')) throw new PlatformError('FORBIDDEN');
    const settings = checkedSettings(request);
    const clientSecret = newSecret();
    const clientId = await this.database.crossTenant((tx) =>
      this.clients.upsert(tx, {
        clientId: `embed_${randomBytes(16).toString('hex')}`,
        appKey: request.appKey,
        tenantId: principal.tenantId,
        secretHash: hashSecret(clientSecret),
        ...settings,
      }),
    );
    if (!clientId) throw new PlatformError('NOT_FOUND', 'There is no such app');
    return { clientId, clientSecret };
  }

  /**
   * Applies the embedding settings of another version of the app. The secret stays, so no host has to be changed; tokens
   * that were minted before expire within 15 minutes.
   * @returns whether the app has credentials
   * @throws PlatformError VALIDATION_FAILED
   */
  async update(request: RpcRequest<typeof rpc.identity.updateEmbedSettings>): Promise<boolean> {
    const { tenantId, appKey } = request;
    const settings = checkedSettings(request);
    return this.database.crossTenant((tx) => this.clients.update(tx, { tenantId, appKey, ...settings }));
  }

  /**
   * @returns the client whose credentials these are
   * @throws PlatformError INVALID_EMBED_CREDENTIALS, the same for an unknown id and a wrong secret
   */
  async authenticate(clientId: string, clientSecret: string): Promise<EmbedClient> {
    const client = await this.database.crossTenant((tx) => this.clients.find(tx, clientId));
    const right = isSecret(client?.secretHash ?? NO_SECRET, clientSecret);
    if (!client || !right) throw new PlatformError('INVALID_EMBED_CREDENTIALS');
    return client;
  }

  /** Origins that may frame the client's page; none for an unknown client. */
  async allowedOrigins(clientId: string): Promise<string[]> {
    const client = await this.database.crossTenant((tx) => this.clients.find(tx, clientId));
    return client?.allowedOrigins ?? [];
  }
}

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
