import { Database, lowestIdOf, type NarrowTransaction, newId, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { CLAIM_RUNS, HAS_QUEUED_RUNS, QUEUE_RUNS, RELEASE_RUNS } from './run.sql.js';

/** A run that this worker holds: until the lease ends no other worker can claim it. */
export interface Claim {
  readonly tenantId: string;
  readonly runId: string;
  readonly workflowId: string;
  readonly claimId: string;
  /** When it was due before it was claimed. */
  readonly dueAt: Date;
  /** Claims since the last outcome, this one included. */
  readonly claims: number;
  /** Below which it is recorded; null when it is not. */
  readonly traceparent: string | null;
}

/** A run to be queued, of this workflow. */
export interface QueuedRun {
  readonly id: string;
  readonly workflowId: string;
}

/**
 * The runs to be executed. A claim is a lease: `due_at` moves into the future, and a run whose worker died is due again when
 * that moment has come. A worker that was only slow finds its claim gone and writes nothing more.
 */
@Injectable()
export class RunQueueRepository {
  /**
   * Queues runs, at most one of each workflow, without waiting for the database. One over the rate of its workflow is due
   * later.
   * @param traceparent below which they are recorded, if they are
   */
  add(tx: TenantTransaction, runs: readonly QueuedRun[], runsPerMinute: number, traceparent?: string): void {
    tx.issue(QUEUE_RUNS, [
      tx.tenantId,
      runs.map(({ id }) => id),
      runs.map(({ workflowId }) => workflowId),
      runsPerMinute,
      traceparent ?? null,
    ]);
  }

  constructor(private readonly database: Database) {}

  /**
   * Claims due runs, those due for longest first, in one round trip. Workers do not wait for one another.
   * @param except tenants whose runs are left for later
   */
  async claim(limit: number, leaseSeconds: number, except: readonly string[] = []): Promise<Claim[]> {
    return this.database.crossTenantStatement<Claim>(CLAIM_RUNS, [newId(), leaseSeconds, limit, except]);
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

  /** Whether a run of any tenant is queued whose id has a time from `from` up to `to`, in milliseconds since 1970. */
  async hasRunsOf(tx: NarrowTransaction, from: number, to: number): Promise<boolean> {
    const [row] = await tx.query<{ queued: boolean }>(HAS_QUEUED_RUNS, [lowestIdOf(from), lowestIdOf(to)]);
    return row?.queued ?? false;
  }
}
