import { type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { UserRepository } from '../people/user.repository.js';
import type { ApiKey } from './api-key.entity.js';
import { ServiceAccountRepository } from './service-account.repository.js';

/** Whom a key acts for, and what it may do now. */
export interface KeyOwner {
  readonly name: string;
  readonly roles: readonly string[];
  readonly scopes: readonly string[];
}

/** The owners of keys: users and service accounts. */
@Injectable()
export class KeyOwners {
  constructor(
    private readonly users: UserRepository,
    private readonly accounts: ServiceAccountRepository,
  ) {}

  /** Holds the owner, so that a change of their rights is wholly before or after. @returns null for one who is not active */
  async lock(tx: TenantTransaction, key: ApiKey): Promise<KeyOwner | null> {
    if (key.ownerKind === 'service') {
      const account = await this.accounts.lockForIssue(tx, key.ownerId);
      return account?.status === 'active' ? account : null;
    }
    const user = await this.users.lockForIssue(tx, key.ownerId);
    return user?.status === 'active' ? { name: user.name, roles: user.roles, scopes: key.scopes } : null;
  }
}
