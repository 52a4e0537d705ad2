import { REFRESH_TOKEN_SECONDS } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { LessThan, MoreThan } from 'typeorm';
import { Session } from './session.entity.js';

@Injectable()
export class SessionRepository {
  /** Opens a session; the user's expired ones go at the same time. */
  async insert(
    tx: TenantTransaction,
    session: Pick<Session, 'id' | 'userId' | 'address' | 'userAgent'>,
  ): Promise<void> {
    await tx.query('DELETE FROM session WHERE tenant_id = $1 AND user_id = $2 AND expires_at < now()', [
      tx.tenantId,
      session.userId,
    ]);
    await tx.query(
      `INSERT INTO session (tenant_id, id, user_id, address, user_agent, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
      [tx.tenantId, session.id, session.userId, session.address, session.userAgent, REFRESH_TOKEN_SECONDS],
    );
  }

  /** Notes that the session was used and moves its end. @returns whether the session is still open */
  async touch(tx: TenantTransaction, id: string): Promise<boolean> {
    const rows = await tx.query(
      `UPDATE session SET last_used_at = now(), expires_at = now() + make_interval(secs => $3)
       WHERE tenant_id = $1 AND id = $2 AND expires_at > now() RETURNING id`,
      [tx.tenantId, id, REFRESH_TOKEN_SECONDS],
    );
    return rows.length > 0;
  }

  /** Open sessions of a user, the last opened first, and how many there are. */
  async listOfUser(
    tx: TenantTransaction,
    userId: string,
    page: ListPage,
  ): Promise<{ sessions: Session[]; counted: number }> {
    const open = { tenantId: tx.tenantId, userId, expiresAt: MoreThan(new Date()) };
    const sessions = await tx.manager.find(Session, {
      where: { ...open, ...(page.after && { id: LessThan(page.after.id) }) },
      order: { id: 'DESC' },
      take: page.limit,
      skip: page.offset,
    });
    return { sessions, counted: await tx.manager.countBy(Session, open) };
  }

  /** Ends one session of the user. @returns whether there was one */
  async delete(tx: TenantTransaction, userId: string, id: string): Promise<boolean> {
    const rows = await tx.query('DELETE FROM session WHERE tenant_id = $1 AND user_id = $2 AND id = $3 RETURNING id', [
      tx.tenantId,
      userId,
      id,
    ]);
    return rows.length > 0;
  }

  /** Ends every session of the user. @returns their ids */
  async deleteOfUser(tx: TenantTransaction, userId: string): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(
      'DELETE FROM session WHERE tenant_id = $1 AND user_id = $2 RETURNING id',
      [tx.tenantId, userId],
    );
    return rows.map(({ id }) => id);
  }
}
