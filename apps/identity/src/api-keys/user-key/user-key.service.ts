import type { Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import type { ListAnswer, ListQuery } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { assertGrantable } from '../../accounts/user/grantable-roles.js';
import { UserRepository } from '../../accounts/user/user.repository.js';
import type { ApiKey } from '../../sessions/api-key/api-key.entity.js';
import { RecentProof } from '../../sessions/session/recent-proof.js';
import { OwnedKeys } from '../key-issue/owned-keys.js';

/** The keys of the users of a workspace, as its administrators see and end them. */
@Injectable()
export class UserKeyService {
  constructor(
    private readonly database: Database,
    private readonly users: UserRepository,
    private readonly keys: OwnedKeys,
    private readonly proof: RecentProof,
  ) {}

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE for a user with a role above the principal's, INVALID_QUERY */
  async list(principal: Principal, userId: string, query: ListQuery): Promise<ListAnswer<ApiKey>> {
    await this.assertAdministered(principal, userId);
    return this.keys.list(principal.tenantId, userId, query);
  }

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE, STEP_UP_REQUIRED */
  async end(principal: Principal, userId: string, keyId: string): Promise<void> {
    await this.assertAdministered(principal, userId);
    await this.proof.assert(principal);
    await this.keys.end(principal, { kind: 'user', id: userId }, keyId);
  }

  /** @throws PlatformError NOT_FOUND, ROLE_NOT_GRANTABLE, STEP_UP_REQUIRED */
  async endAll(principal: Principal, userId: string): Promise<void> {
    await this.assertAdministered(principal, userId);
    await this.proof.assert(principal);
    await this.keys.endAll(principal, { kind: 'user', id: userId });
  }

  private async assertAdministered(principal: Principal, userId: string): Promise<void> {
    const user = await this.database.transaction(principal.tenantId, (tx) => this.users.find(tx, userId));
    if (!user) throw new PlatformError('NOT_FOUND', 'There is no such user');
    assertGrantable(principal, user.roles);
  }
}
