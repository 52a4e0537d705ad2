import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { User } from './user.entity.js';

export type NewUser = Pick<User, 'id' | 'email' | 'name' | 'roles' | 'status' | 'origin' | 'passwordHash'>;

/** What became of a claim on an address. */
export type EmailClaim =
  | { outcome: 'claimed' }
  | { outcome: 'same_tenant'; holder: string }
  | { outcome: 'other_tenant' };

@Injectable()
export class UserRepository {
  async insert(tx: TenantTransaction, user: NewUser): Promise<void> {
    await tx.manager.insert(User, { ...user, tenantId: tx.tenantId });
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

  /** Users in the order they came, and how many there are. */
  async list(tx: TenantTransaction, limit: number, offset: number): Promise<{ users: User[]; total: number }> {
    const [users, total] = await tx.manager.findAndCount(User, {
      where: { tenantId: tx.tenantId },
      order: { createdAt: 'ASC', id: 'ASC' },
      take: limit,
      skip: offset,
    });
    return { users, total };
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

  /**
   * Reserves an address, platform-wide, for a user of the tenant in context. Waits for a transaction that is claiming
   * the same address.
   */
  async claimEmail(tx: TenantTransaction, email: string, userId: string): Promise<EmailClaim> {
    const [row] = await tx.query<{ outcome: EmailClaim['outcome']; holder: string | null }>(
      'SELECT outcome, holder FROM claim_sign_in_email($1, $2)',
      [email, userId],
    );
    if (row?.outcome === 'same_tenant' && row.holder) return { outcome: 'same_tenant', holder: row.holder };
    return row?.outcome === 'claimed' ? { outcome: 'claimed' } : { outcome: 'other_tenant' };
  }

  /** Whether the address belongs to a user of another tenant. */
  async isEmailElsewhere(tx: TenantTransaction, email: string): Promise<boolean> {
    const [row] = await tx.query<{ elsewhere: boolean }>('SELECT is_email_elsewhere($1) AS elsewhere', [email]);
    return row?.elsewhere === true;
  }

  /** Who signs in with an address, whatever the tenant. */
  async findByEmail(tx: NarrowTransaction, email: string): Promise<{ tenantId: string; userId: string } | null> {
    const [row] = await tx.query<{ tenantId: string; userId: string }>(
      'SELECT tenant_id AS "tenantId", user_id AS "userId" FROM sign_in_email WHERE email = $1',
      [email],
    );
    return row ?? null;
  }
}
