import { Database, newId, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** A run that this worker holds: until the lease ends nobody else takes it. */
export interface Claim {
  readonly tenantId: string;
  readonly runId: string;
  readonly claimId: string;
  /** When it was due before it was claimed. */
  readonly dueAt: Date;
}

/**
 * What is to be worked on. A claim is a lease: `due_at` moves into the future, and a run whose worker died is due again
 * when that time has come. A worker that was only slow finds its claim gone and writes nothing more.
 */
@Injectable()
export class RunQueue {
  constructor(private readonly database: Database) {}

  async add(tx: TenantTransaction, runIds: readonly string[]): Promise<void> {
    await tx.query('INSERT INTO run_queue (tenant_id, run_id) SELECT $1, unnest($2::uuid[])', [tx.tenantId, runIds]);
  }

  /**
   * Takes due runs, the longest due first. Workers do not wait for one another.
   * @param except tenants whose runs are left for later
   */
  async claim(limit: number, leaseSeconds: number, except: readonly string[] = []): Promise<Claim[]> {
    const claimId = newId();
    return this.database.crossTenant((tx) =>
      tx.query<Claim>(
        // Materialised: a plan that looks the choice up again for each row would take more than the limit.
        `WITH due AS MATERIALIZED (
           SELECT tenant_id, run_id, due_at FROM run_queue
            WHERE due_at <= now() AND tenant_id <> ALL ($4::uuid[])
            ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED)
         UPDATE run_queue SET claim_id = $1, due_at = now() + make_interval(secs => $2)
           FROM due
          WHERE run_queue.tenant_id = due.tenant_id AND run_queue.run_id = due.run_id
          RETURNING run_queue.tenant_id AS "tenantId", run_queue.run_id AS "runId", claim_id AS "claimId",
            due.due_at AS "dueAt"`,
        [claimId, leaseSeconds, limit, except],
      ),
    );
  }

  /** Gives back what was claimed and not begun; it keeps its place in the line. */
  async release(claims: readonly Claim[]): Promise<void> {
    await this.database.crossTenant((tx) =>
      tx.query(
        `UPDATE run_queue SET due_at = released.due_at, claim_id = NULL
           FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[]) AS released (tenant_id, run_id, claim_id, due_at)
          WHERE run_queue.tenant_id = released.tenant_id AND run_queue.run_id = released.run_id
            AND run_queue.claim_id = released.claim_id`,
        [
          claims.map((claim) => claim.tenantId),
          claims.map((claim) => claim.runId),
          claims.map((claim) => claim.claimId),
          claims.map((claim) => claim.dueAt),
        ],
      ),
    );
  }

  /** Whether the claim still stands; if so its lease begins anew and no other worker can take it in this transaction. */
  async renew(tx: TenantTransaction, claim: Claim, leaseSeconds: number): Promise<boolean> {
    const rows = await tx.query(
      `UPDATE run_queue SET due_at = now() + make_interval(secs => $3) WHERE run_id = $1 AND claim_id = $2
       RETURNING run_id`,
      [claim.runId, claim.claimId, leaseSeconds],
    );
    return rows.length > 0;
  }

  /** Gives the run back, to be taken up at a later time. */
  async postpone(tx: TenantTransaction, runId: string, until: Date): Promise<void> {
    await tx.query('UPDATE run_queue SET due_at = $2, claim_id = NULL WHERE run_id = $1', [runId, until]);
  }

  async remove(tx: TenantTransaction, runId: string): Promise<void> {
    await tx.query('DELETE FROM run_queue WHERE run_id = $1', [runId]);
  }
}
