import { timingSafeEqual } from 'node:crypto';
import {
  API_KEY_TOKEN_SECONDS,
  AUDIENCES,
  PlatformError,
  type RpcRequest,
  type RpcResponse,
  rpc,
} from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { TenantRepository } from '../people/tenant.repository.js';
import { type TokenContent, TokenSigner } from '../sessions/token-signer.js';
import type { ApiKey } from './api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { KeyOwners } from './key-owners.js';

type Presented = RpcRequest<typeof rpc.identity.exchangeApiKey>;

/** Exchanges keys for access tokens of two minutes. */
@Injectable()
export class KeyExchangeService {
  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeyRepository,
    private readonly owners: KeyOwners,
    private readonly tenants: TenantRepository,
    private readonly signer: TokenSigner,
  ) {}

  /** A token with the owner's present rights, within the key's scopes. @throws PlatformError INVALID_API_KEY */
  async exchange(presented: Presented): Promise<RpcResponse<typeof rpc.identity.exchangeApiKey>> {
    const tokenId = newId();
    const { key, content } = await this.database.transaction(presented.tenantId, async (tx) => {
      const found = await this.keys.findLive(tx, presented.keyId);
      if (!found || !matches(found, presented)) throw new PlatformError('INVALID_API_KEY');
      // Sent together: one round trip.
      const [owner, tenant] = await Promise.all([this.owners.lock(tx, found), this.tenants.find(tx)]);
      const isOpen = tenant && !tenant.closedAt && this.signer.issuesFor(tx.tenantId);
      if (!owner || !isOpen) throw new PlatformError('INVALID_API_KEY');
      await this.keys.noteUse(tx, found.id, presented.address);
      const subject = { aud: AUDIENCES.api, sub: found.ownerId, tid: tx.tenantId, sid: found.id };
      const rights = { roles: [...owner.roles], scopes: [...owner.scopes] };
      const ofService = found.ownerKind === 'service' && { service_account: true as const };
      return { key: found, content: { ...subject, ...rights, api_key: true, ...ofService } satisfies TokenContent };
    });
    const left = Math.floor((key.expiresAt.getTime() - Date.now()) / 1000);
    // No token outlives its key.
    const expiresIn = Math.min(API_KEY_TOKEN_SECONDS, left);
    if (expiresIn < 1) throw new PlatformError('INVALID_API_KEY');
    return { token: await this.signer.sign(content, expiresIn, tokenId), expiresIn };
  }
}

function matches({ secretHash }: ApiKey, { fingerprint }: Presented): boolean {
  const presented = Buffer.from(fingerprint, 'hex');
  return presented.length === secretHash.length && timingSafeEqual(presented, secretHash);
}
