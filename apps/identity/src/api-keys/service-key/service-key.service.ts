import type { Principal } from '@crm/access';
import { Database } from '@crm/database';
import type { ListAnswer, ListQuery } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type { ApiKey } from '../../sessions/api-key/api-key.entity.js';
import { RecentProof } from '../../sessions/session/recent-proof.js';
import { type IssuedKey, KeyIssueService } from '../key-issue/key-issue.service.js';
import { OwnedKeys } from '../key-issue/owned-keys.js';
import { ServiceAccountService } from '../service-account/service-account.service.js';

export interface ServiceKeyRequest {
  readonly name: string;
  readonly expiresInDays?: number;
}

/** The keys of service accounts, as administrators make and end them. */
@Injectable()
export class ServiceKeyService {
  constructor(
    private readonly database: Database,
    private readonly accounts: ServiceAccountService,
    private readonly issue: KeyIssueService,
    private readonly keys: OwnedKeys,
    private readonly proof: RecentProof,
  ) {}

  /** @throws PlatformError NOT_FOUND, INVALID_QUERY */
  async list({ tenantId }: Principal, accountId: string, query: ListQuery): Promise<ListAnswer<ApiKey>> {
    await this.accounts.get(tenantId, accountId);
    return this.keys.list(tenantId, accountId, query);
  }

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE, STEP_UP_REQUIRED, API_KEY_LIMIT_EXCEEDED */
  async make(principal: Principal, accountId: string, request: ServiceKeyRequest): Promise<IssuedKey> {
    await this.proof.assert(principal);
    return this.database.transaction(principal, async (tx) => {
      await this.accounts.hold(tx, principal, accountId);
      const owned = { ownerKind: 'service' as const, ownerId: accountId, createdBy: principal.userId };
      return this.issue.issue(tx, { ...owned, name: request.name.trim(), scopes: [] }, request.expiresInDays);
    });
  }

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE, STEP_UP_REQUIRED */
  async end(principal: Principal, accountId: string, keyId: string): Promise<void> {
    await this.database.transaction(principal, (tx) => this.accounts.hold(tx, principal, accountId));
    await this.proof.assert(principal);
    await this.keys.end(principal, { kind: 'service', id: accountId }, keyId);
  }
}
