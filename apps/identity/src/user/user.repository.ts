import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { User } from './user.entity.js';

export type NewUser = Pick<User, 'id' | 'email' | 'name' | 'roles' | 'status' | 'origin' | 'passwordHash'>;

@Injectable()
export class UserRepository {
  /** Adds a user in the transaction that claims their address. */
  async insert(tx: NarrowTransaction, tenantId: string, user: NewUser): Promise<void> {
    await tx.query(
      `INSERT INTO app_user (tenant_id, id, email, name, roles, status, origin, password_hash)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [tenantId, user.id, user.email, user.name, user.roles, user.status, user.origin, user.passwordHash],
    );
  }

  async find(tx: TenantTransaction, id: string): Promise<User | null> {
    return tx.manager.findOneBy(User, { tenantId: tx.tenantId, id });
  }

  /** Like find, and holds the row until the transaction ends, so that two changes of one user follow each other. */
  async findForUpdate(tx: TenantTransaction, id: string): Promise<User | null> {
    return tx.manager.findOne(User, { where: { tenantId: tx.tenantId, id }, lock: { mode: 'pessimistic_write' } });
  }

  /**
   * Like find, and keeps the user as they are until the transaction ends: who issues rights from the row reads it so, and
   * a change of them is then wholly before or wholly after.
   */
  async findForIssue(tx: TenantTransaction, id: string): Promise<User | null> {
    return tx.manager.findOne(User, { where: { tenantId: tx.tenantId, id }, lock: { mode: 'pessimistic_read' } });
  }

  async update(tx: TenantTransaction, id: string, changes: Partial<Omit<User, 'tenantId' | 'id'>>): Promise<void> {
    await tx.manager.update(User, { tenantId: tx.tenantId, id }, { ...changes });
  }

  /** Users in the order they came, which is that of their ids, and how many there are. */
  async list(tx: TenantTransaction, page: ListPage): Promise<{ users: User[]; counted: number }> {
    const { tenantId } = tx;
    const users = await tx.manager.find(User, {
      where: { tenantId, ...(page.after && { id: MoreThan(page.after.id) }) },
      order: { id: 'ASC' },
      take: page.limit,
      skip: page.offset,
    });
    return { users, counted: await tx.manager.countBy(User, { tenantId }) };
  }

  /** Locks and counts the owners that can still sign in, so that two of them cannot step down at once. */
  async countActiveOwnersForUpdate(tx: TenantTransaction): Promise<number> {
    const rows = await tx.query<{ id: string }>(
      `SELECT id FROM app_user
       WHERE tenant_id = $1 AND status = 'active' AND 'owner' = ANY (roles) ORDER BY id FOR UPDATE`,
      [tx.tenantId],
    );
    return rows.length;
  }
}
