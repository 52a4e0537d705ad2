import type { NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { User } from '../people/user.entity.js';
import { ERASE_USER, LOCK_ERASED_USER, LOCK_OWNERS } from './erasure.sql.js';

export type ErasedUser = Pick<User, 'id' | 'email' | 'roles' | 'status'>;

/** In the context of the tenant, by the role that reaches the global addresses too. */
@Injectable()
export class ErasureRepository {
  /** Ids of the owners who can sign in, held until the transaction ends. */
  async lockOwners(tx: NarrowTransaction, tenantId: string): Promise<string[]> {
    const owners = await tx.query<{ id: string }>(LOCK_OWNERS, [tenantId]);
    return owners.map(({ id }) => id);
  }

  async lockUser(tx: NarrowTransaction, tenantId: string, id: string): Promise<ErasedUser | null> {
    const [user] = await tx.query<ErasedUser>(LOCK_ERASED_USER, [tenantId, id]);
    return user ?? null;
  }

  async erase(tx: NarrowTransaction, tenantId: string, { id, email }: ErasedUser): Promise<void> {
    await tx.query(ERASE_USER, [tenantId, id, email]);
  }
}
