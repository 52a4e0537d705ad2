import { lowestIdOf, type NarrowTransaction, newId, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import {
  CLAIM_RUNS,
  HAS_QUEUED_RUNS,
  POSTPONE_RUN,
  QUEUE_RUNS,
  RELEASE_RUNS,
  RENEW_CLAIM,
  UNQUEUE_RUN,
} from './run.sql.js';

/** A run that this worker holds: until the lease ends no other worker can claim it. */
export interface Claim {
  readonly tenantId: string;
  readonly runId: string;
  readonly claimId: string;
  /** When it was due before it was claimed. */
  readonly dueAt: Date;
}

/**
 * The runs to be executed. A claim is a lease: `due_at` moves into the future, and a run whose worker died is due again when
 * that moment has come. A worker that was only slow finds its claim gone and writes nothing more.
 */
@Injectable()
export class RunQueueRepository {
  async add(tx: TenantTransaction, runIds: readonly string[]): Promise<void> {
    await tx.query(QUEUE_RUNS, [tx.tenantId, runIds]);
  }

  /**
   * Claims due runs, those due for longest first. Workers do not wait for one another.
   * @param except tenants whose runs are left for later
   */
  async claim(
    tx: NarrowTransaction,
    limit: number,
    leaseSeconds: number,
    except: readonly string[] = [],
  ): Promise<Claim[]> {
    return tx.query<Claim>(CLAIM_RUNS, [newId(), leaseSeconds, limit, except]);
  }

  /** Gives back what was claimed and not begun; it is due as it was before. */
  async release(tx: NarrowTransaction, claims: readonly Claim[]): Promise<void> {
    await tx.query(RELEASE_RUNS, [
      claims.map((claim) => claim.tenantId),
      claims.map((claim) => claim.runId),
      claims.map((claim) => claim.claimId),
      claims.map((claim) => claim.dueAt),
    ]);
  }

  /**
   * Renews the lease of a claim; no other worker can claim the run while this transaction is open.
   * @returns false when the claim is lost
   */
  async renew(tx: TenantTransaction, claim: Claim, leaseSeconds: number): Promise<boolean> {
    const rows = await tx.query(RENEW_CLAIM, [tx.tenantId, claim.runId, claim.claimId, leaseSeconds]);
    return rows.length > 0;
  }

  /** Gives the run back until later. */
  async postpone(tx: TenantTransaction, runId: string, until: Date): Promise<void> {
    await tx.query(POSTPONE_RUN, [tx.tenantId, runId, until]);
  }

  /** Whether a run of any tenant is queued whose id has a time from `from` up to `to`, in milliseconds since 1970. */
  async hasRunsOf(tx: NarrowTransaction, from: number, to: number): Promise<boolean> {
    const [row] = await tx.query<{ queued: boolean }>(HAS_QUEUED_RUNS, [lowestIdOf(from), lowestIdOf(to)]);
    return row?.queued ?? false;
  }

  async remove(tx: TenantTransaction, runId: string): Promise<void> {
    await tx.query(UNQUEUE_RUN, [tx.tenantId, runId]);
  }
}
