import { Injectable } from '@nestjs/common';
import type { Queryable } from '../transaction.js';
import type { IdempotentCall } from './idempotent-call.js';

export interface IdempotencyRow {
  readonly bodyHash: Buffer;
  readonly recordId: string;
}

/** Reads and writes the table that `createIdempotencyTable` creates. */
@Injectable()
export class IdempotencyRepository {
  /** Locks one call until the transaction ends; returns false when another transaction holds the lock. */
  async tryLock(tx: Queryable, call: IdempotentCall): Promise<boolean> {
    const name = JSON.stringify(['idempotency', ...identityOf(call)]);
    const [row] = await tx.query<{ locked: boolean }>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked',
      [name],
    );
    return row?.locked === true;
  }

  async find(tx: Queryable, call: IdempotentCall): Promise<IdempotencyRow | null> {
    const [row] = await tx.query<IdempotencyRow>(
      `SELECT body_hash AS "bodyHash", record_id AS "recordId" FROM idempotency
        WHERE tenant_id = $1 AND principal_id = $2 AND route = $3 AND key = $4 AND expires_at > now()`,
      identityOf(call),
    );
    return row ?? null;
  }

  /** Stores what a call created; replaces an expired row of the same call. */
  async save(tx: Queryable, call: IdempotentCall, row: IdempotencyRow): Promise<void> {
    await tx.query(
      `INSERT INTO idempotency (tenant_id, principal_id, route, key, body_hash, record_id, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(hours => $7))
       ON CONFLICT (tenant_id, principal_id, route, key)
       DO UPDATE SET body_hash = EXCLUDED.body_hash, record_id = EXCLUDED.record_id, expires_at = EXCLUDED.expires_at`,
      [...identityOf(call), row.bodyHash, row.recordId, call.keptHours],
    );
  }

  /** Removes expired rows of every tenant (narrow role). */
  async removeExpired(tx: Queryable): Promise<void> {
    await tx.query('DELETE FROM idempotency WHERE expires_at <= now()');
  }
}

const identityOf = ({ tenantId, principalId, route, key }: IdempotentCall): string[] => [
  tenantId,
  principalId,
  route,
  key,
];
