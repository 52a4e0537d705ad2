import type { Queryable, TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** What makes two calls the same call. */
export interface IdempotencyScope {
  readonly principalId: string;
  readonly route: string;
  readonly key: string;
}

export interface IdempotencyRow {
  readonly bodyHash: Buffer;
  readonly recordId: string;
}

@Injectable()
export class IdempotencyRepository {
  /** Takes the lock of one call until the transaction ends; false when another transaction holds it. */
  async tryLock(tx: TenantTransaction, scope: IdempotencyScope): Promise<boolean> {
    const name = JSON.stringify([tx.tenantId, scope.principalId, scope.route, scope.key]);
    const [row] = await tx.query<{ locked: boolean }>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked',
      [name],
    );
    return row?.locked === true;
  }

  async find(tx: TenantTransaction, scope: IdempotencyScope): Promise<IdempotencyRow | undefined> {
    const [row] = await tx.query<IdempotencyRow>(
      `SELECT body_hash AS "bodyHash", record_id AS "recordId" FROM idempotency
        WHERE principal_id = $1 AND route = $2 AND key = $3 AND expires_at > now()`,
      [scope.principalId, scope.route, scope.key],
    );
    return row;
  }

  /** Remembers what a call created; an expired row of the same call is replaced. */
  async save(tx: TenantTransaction, scope: IdempotencyScope, row: IdempotencyRow, keptHours: number): Promise<void> {
    await tx.query(
      `INSERT INTO idempotency (tenant_id, principal_id, route, key, body_hash, record_id, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(hours => $7))
       ON CONFLICT (tenant_id, principal_id, route, key)
       DO UPDATE SET body_hash = EXCLUDED.body_hash, record_id = EXCLUDED.record_id, expires_at = EXCLUDED.expires_at`,
      [tx.tenantId, scope.principalId, scope.route, scope.key, row.bodyHash, row.recordId, keptHours],
    );
  }

  /** Removes expired rows of every tenant (narrow role). */
  async removeExpired(tx: Queryable): Promise<void> {
    await tx.query('DELETE FROM idempotency WHERE expires_at <= now()');
  }
}
