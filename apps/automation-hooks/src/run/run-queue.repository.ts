import {
  Database,
  lowestIdOf,
  measureDueWork,
  type NarrowTransaction,
  newId,
  PartitionUpkeep,
  type TenantTransaction,
  Wake,
} from '@crm/database';
import { Injectable } from '@nestjs/common';

/**
 * Queues runs of an event, at most one per workflow, and counts them in the rates; a run over the rate is due later.
 * `next_at` goes on ahead here, while hook calls over the rate are refused. $2: runs, $3: their workflows, $4: runs a
 * minute, $5: traceparent or null.
 */
export const QUEUE_RUNS = `
  WITH rated AS (
    INSERT INTO workflow_rate AS rate (tenant_id, workflow_id, next_at, granted)
    SELECT $1, workflow_id, now() + interval '1 minute' / $4::int, 1
      FROM unnest($3::uuid[]) AS workflow_id ORDER BY workflow_id
    ON CONFLICT (tenant_id, workflow_id) DO UPDATE
      SET granted = 1, next_at = greatest(rate.next_at, now()) + interval '1 minute' / $4::int
    RETURNING workflow_id, next_at)
  INSERT INTO run_queue (tenant_id, run_id, workflow_id, due_at, traceparent)
  SELECT $1, new.run_id, new.workflow_id, greatest(now(), rated.next_at - interval '1 minute'), $5::text
    FROM unnest($2::uuid[], $3::uuid[]) AS new (run_id, workflow_id) JOIN rated USING (workflow_id)`;

/**
 * Claims due runs, oldest first, without waiting for other workers. Materialised: a plan that repeats the choice per
 * row would claim more than the limit. $1: claim, $2: lease seconds, $3: limit, $4: tenants to leave out.
 * Each claim since the last outcome doubles the lease, with up to half as much jitter, so that runs that died together
 * with their process are not claimed together again.
 */
export const CLAIM_RUNS = `
  WITH due AS MATERIALIZED (
    SELECT tenant_id, run_id, due_at FROM run_queue
     WHERE due_at <= now() AND tenant_id <> ALL ($4::uuid[])
     ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED)
  UPDATE run_queue SET claim_id = $1, claims = claims + 1,
         due_at = now() + make_interval(secs => $2 * power(2, claims) * (1 + random() / 2))
    FROM due
   WHERE run_queue.tenant_id = due.tenant_id AND run_queue.run_id = due.run_id
  RETURNING run_queue.tenant_id AS "tenantId", run_queue.run_id AS "runId", claim_id AS "claimId", workflow_id AS "workflowId", due.due_at AS "dueAt", claims, traceparent`;

/** Gives back what was claimed and not begun. Lists of equal length: $1: tenants, $2: runs, $3: claims, $4: when due. */
export const RELEASE_RUNS = `
  UPDATE run_queue SET due_at = released.due_at, claim_id = NULL, claims = claims - 1
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[]) AS released (tenant_id, run_id, claim_id, due_at)
   WHERE run_queue.tenant_id = released.tenant_id AND run_queue.run_id = released.run_id
     AND run_queue.claim_id = released.claim_id`;

/** Whether runs with ids from $1 up to $2 are queued, of any tenant. */
const HAS_QUEUED_RUNS = `SELECT EXISTS (SELECT FROM run_queue WHERE run_id >= $1 AND run_id < $2) AS queued`;

/** Runs that are due and wait for a worker. $1: tenants whose runs wait for something else. */
export const MEASURE_DUE_RUNS = measureDueWork('run_queue', 'due_at', 'tenant_id <> ALL ($1::uuid[])');

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

export interface QueuedRun {
  readonly id: string;
  readonly workflowId: string;
}

/**
 * The queue of runs. A claim is a lease: `due_at` moves into the future, after which a dead worker's run is due again.
 * A slow worker that has lost its claim writes nothing more.
 */
@Injectable()
export class RunQueueRepository {
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
   * Claims due runs, oldest first, in one round trip.
   * @param except tenants whose runs are left for later
   */
  async claim(limit: number, leaseSeconds: number, except: readonly string[] = []): Promise<Claim[]> {
    return this.database.crossTenantStatement<Claim>(CLAIM_RUNS, [newId(), leaseSeconds, limit, except]);
  }

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

/** Wakes the worker of this process when a run was stored. The worker also polls, so that a lost signal only delays. */
@Injectable()
export class RunSignal extends Wake {}

const DAY_MS = 86_400_000;

/** Keeps a day's partitions while its runs are queued: a workflow may wait longer than runs are kept. */
@Injectable()
export class RunRetention {
  constructor(
    upkeep: PartitionUpkeep,
    private readonly queue: RunQueueRepository,
  ) {
    for (const table of ['run', 'run_step']) upkeep.dropOnlyIf(table, (tx, day) => this.isOver(tx, day));
  }

  private async isOver(tx: NarrowTransaction, day: string): Promise<boolean> {
    const from = Date.parse(day);
    return !(await this.queue.hasRunsOf(tx, from, from + DAY_MS));
  }
}
