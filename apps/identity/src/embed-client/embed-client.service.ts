import { randomBytes } from 'node:crypto';
import type { Principal } from '@crm/access';
import { isScope, PlatformError, type RpcRequest, rolesAllow, type rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { hashSecret, isSecret, newSecret } from '../token/opaque-token.js';
import { type EmbedClient, EmbedClientRepository } from './embed-client.repository.js';

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
   * Issues credentials; a secret issued before stops working at once. The secret is shown this once.
   * @param principal an administrator of the app's workspace
   * @throws PlatformError FORBIDDEN, VALIDATION_FAILED, NOT_FOUND for another workspace's app
   */
  async issue(
    principal: Principal | undefined,
    request: RpcRequest<typeof rpc.identity.issueEmbedCredentials>,
  ): Promise<{ clientId: string; clientSecret: string }> {
    if (!principal || !rolesAllow(principal.roles, 'administer')) throw new PlatformError('FORBIDDEN');
    const unknown = request.scopes.find((scope) => !isScope(scope));
    if (unknown !== undefined) throw new PlatformError('VALIDATION_FAILED', `There is no scope ${unknown}`);
    const clientSecret = newSecret();
    const clientId = await this.database.crossTenant((tx) =>
      this.clients.upsert(tx, {
        clientId: `embed_${randomBytes(16).toString('hex')}`,
        appKey: request.appKey,
        tenantId: principal.tenantId,
        secretHash: hashSecret(clientSecret),
        allowedOrigins: request.allowedOrigins.map(canonicalOrigin),
        scopes: request.scopes,
        linkUsersBy: request.linkUsersBy,
      }),
    );
    if (!clientId) throw new PlatformError('NOT_FOUND', 'There is no such app');
    return { clientId, clientSecret };
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

/**
 * The one spelling of an origin. It ends up in a response header, so anything that is not exactly an origin is refused
 * here too, although certification has checked it.
 * @throws PlatformError VALIDATION_FAILED
 */
function canonicalOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin = url && /^https?:$/.test(url.protocol) && /^[a-z]+:\/\/[^/?#@\s;,*]+\/?$/i.test(text);
  if (!isOrigin) throw new PlatformError('VALIDATION_FAILED', 'An allowed origin must be scheme, host and port');
  return url.origin;
}
