import type { NarrowTransaction, Queryable, TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** Which user of the workspace a host's user is. */
@Injectable()
export class EmbedUserRepository {
  /** Makes changes of one host user wait for each other until the transaction ends, so that the first provisions alone. */
  async lock(tx: Queryable, tenantId: string, appKey: string, sub: string): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      JSON.stringify(['embed_user', tenantId, appKey, sub]),
    ]);
  }

  async find(tx: Queryable, tenantId: string, appKey: string, sub: string): Promise<string | null> {
    const [row] = await tx.query<{ userId: string }>(
      'SELECT user_id AS "userId" FROM embed_user WHERE tenant_id = $1 AND app_key = $2 AND sub = $3',
      [tenantId, appKey, sub],
    );
    return row?.userId ?? null;
  }

  /** Maps a host's user for the first time. */
  async insert(tx: NarrowTransaction, tenantId: string, appKey: string, sub: string, userId: string): Promise<void> {
    await tx.query('INSERT INTO embed_user (tenant_id, app_key, sub, user_id) VALUES ($1, $2, $3, $4)', [
      tenantId,
      appKey,
      sub,
      userId,
    ]);
  }

  /** Maps a host's user, anew if need be. */
  async link(tx: TenantTransaction, appKey: string, sub: string, userId: string): Promise<void> {
    await tx.query(
      `INSERT INTO embed_user (tenant_id, app_key, sub, user_id) VALUES ($1, $2, $3, $4)
       ON CONFLICT (tenant_id, app_key, sub) DO UPDATE SET user_id = EXCLUDED.user_id`,
      [tx.tenantId, appKey, sub, userId],
    );
  }
}
