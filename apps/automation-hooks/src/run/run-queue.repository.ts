import type { EventEnvelope } from '@crm/contracts';
import {
  Database,
  lowestIdOf,
  type NarrowTransaction,
  NO_TENANT,
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
  INSERT INTO run_queue (tenant_id, run_id, workflow_id, due_at, waits, traceparent)
  SELECT $1, new.run_id, new.workflow_id, greatest(now(), rated.next_at - interval '1 minute'),
         rated.next_at - interval '1 minute' > now(), $5::text
    FROM unnest($2::uuid[], $3::uuid[]) AS new (run_id, workflow_id) JOIN rated USING (workflow_id)`;

/** Runs whose time has come that one claim puts with those that are due. A parameter: a plan for as many would walk the queue. */
const WOKEN_AT_A_TIME = 200;
/** Tenants that one claim looks at, those included that it leaves out. */
const TENANTS_AT_A_TIME = 1_000;
const FIRST_TENANT = `'${NO_TENANT}'::uuid`;
const LAST_TENANT = "'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid";

/**
 * Claims due runs without waiting for other workers: the tenants take turns, of each the oldest come first. $1: claim,
 * $2: lease seconds, $3: limit, $4: tenants to leave out, $5: the tenant after which the turns begin, $6, $7: tenants
 * with runs under way, and how many, $8: most to wake.
 * `hop` goes from tenant to tenant by the index of those that do not wait, so that what a tenant has queued costs a
 * claim nothing; runs that wait for a time, a claim's included, are in another index, and come back by `woken`. No tenant
 * gets more than it may begin (`TenantShares`).
 * Materialised: a plan that repeats the choice per row would claim more than the limit. Each claim since the last
 * outcome doubles the lease, with up to half as much jitter, so that runs that died together with their process are not
 * claimed together again. One row at least, whose `runId` is null when nothing is claimed.
 */
export const CLAIM_RUNS = `
  WITH RECURSIVE over AS MATERIALIZED (
    SELECT tenant_id, run_id FROM run_queue WHERE waits AND due_at <= now()
     ORDER BY due_at LIMIT $8::int FOR UPDATE SKIP LOCKED),
  woken AS (
    UPDATE run_queue SET waits = false FROM over
     WHERE run_queue.tenant_id = over.tenant_id AND run_queue.run_id = over.run_id
    RETURNING 1),
  hop AS (
    SELECT 0 AS n, 0 AS found, 0 AS round, $5::uuid AS tenant_id
    UNION ALL
    SELECT hop.n + 1, hop.found + (next.tenant_id <> ALL ($4::uuid[]) IS TRUE)::int,
           hop.round + (next.tenant_id IS NULL)::int, coalesce(next.tenant_id, ${FIRST_TENANT})
      FROM hop LEFT JOIN LATERAL (
        SELECT tenant_id FROM run_queue
         WHERE NOT waits AND tenant_id > hop.tenant_id
           AND tenant_id <= CASE hop.round WHEN 0 THEN ${LAST_TENANT} ELSE $5::uuid END
         ORDER BY tenant_id LIMIT 1) AS next ON true
     WHERE hop.round < 2 AND hop.found < $3::int AND hop.n < ${TENANTS_AT_A_TIME}),
  chosen AS MATERIALIZED (
    SELECT n, tenant_id, ceil(($3::int - coalesce(running, 0)) / 2.0) AS room, ceil($3::numeric / count(*) OVER ()) AS share
      FROM hop LEFT JOIN unnest($6::uuid[], $7::int[]) AS begun (tenant_id, running) USING (tenant_id)
     WHERE n > 0 AND tenant_id <> ${FIRST_TENANT} AND tenant_id <> ALL ($4::uuid[])
     ORDER BY n),
  due AS MATERIALIZED (
    SELECT chosen.n, ready.* FROM chosen CROSS JOIN LATERAL (
        SELECT tenant_id, run_id, due_at FROM run_queue
         WHERE tenant_id = chosen.tenant_id AND NOT waits AND due_at <= now()
         ORDER BY due_at LIMIT greatest(1, least(chosen.room, chosen.share)) FOR UPDATE SKIP LOCKED) AS ready
     LIMIT $3::int),
  claimed AS (
    UPDATE run_queue SET claim_id = $1, claims = claims + 1, waits = true,
           due_at = now() + make_interval(secs => $2 * power(2, claims) * (1 + random() / 2))
      FROM due
     WHERE run_queue.tenant_id = due.tenant_id AND run_queue.run_id = due.run_id
    RETURNING due.n, run_queue.tenant_id, run_queue.run_id, claim_id, workflow_id, due.due_at, claims, traceparent)
  SELECT claimed.tenant_id AS "tenantId", run_id AS "runId", claim_id AS "claimId", workflow_id AS "workflowId",
         due_at AS "dueAt", claims, traceparent, EXISTS (SELECT FROM woken) AS "hasWoken"
    FROM (VALUES (1)) AS one LEFT JOIN claimed ON true ORDER BY n`;

/** Gives back what was claimed and not begun. Lists of equal length: $1: tenants, $2: runs, $3: claims, $4: when due. */
export const RELEASE_RUNS = `
  UPDATE run_queue SET due_at = released.due_at, waits = false, claim_id = NULL, claims = claims - 1
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[]) AS released (tenant_id, run_id, claim_id, due_at)
   WHERE run_queue.tenant_id = released.tenant_id AND run_queue.run_id = released.run_id
     AND run_queue.claim_id = released.claim_id`;

/** Whether runs with ids from $1 up to $2 are queued, of any tenant. */
const HAS_QUEUED_RUNS = `SELECT EXISTS (SELECT FROM run_queue WHERE run_id >= $1 AND run_id < $2) AS queued`;

/**
 * Runs that are due and wait for a worker: the oldest 1,000 of each of 500 tenants, and those that no worker has woken.
 * $1: tenants whose runs wait for something else.
 */
export const MEASURE_DUE_RUNS = `
  WITH RECURSIVE hop AS (
    SELECT 0 AS n, ${FIRST_TENANT} AS tenant_id
    UNION ALL
    SELECT hop.n + 1, (SELECT tenant_id FROM run_queue WHERE NOT waits AND tenant_id > hop.tenant_id ORDER BY tenant_id LIMIT 1)
      FROM hop WHERE hop.n < 500 AND hop.tenant_id IS NOT NULL)
  SELECT count(*)::int AS items, extract(epoch FROM now() - min(due_at))::float8 AS "oldestSeconds" FROM (
    SELECT ready.due_at FROM hop CROSS JOIN LATERAL (
        SELECT due_at FROM run_queue
         WHERE tenant_id = hop.tenant_id AND NOT waits AND due_at <= now() ORDER BY due_at LIMIT 1000) AS ready
     WHERE hop.n > 0 AND hop.tenant_id <> ALL ($1::uuid[])
    UNION ALL
    (SELECT due_at FROM run_queue
      WHERE waits AND due_at <= now() AND tenant_id <> ALL ($1::uuid[]) ORDER BY due_at LIMIT 1000)) AS due`;

/** How many runs tenants have queued, counted up to $2, and whether events of theirs wait. $1: tenants. */
export const MEASURE_TENANTS = `
  SELECT tenant_id AS "tenantId", EXISTS (SELECT FROM waiting_event WHERE tenant_id = asked.tenant_id) AS "eventsWait",
         (SELECT count(*)::int FROM (SELECT FROM run_queue WHERE tenant_id = asked.tenant_id LIMIT $2) AS queued) AS queued
    FROM unnest($1::uuid[]) AS asked (tenant_id)`;

/** An event that waits, one row however many workflows it starts. $1: tenant, $2: id, $3: event. */
export const KEEP_EVENT = `
  INSERT INTO waiting_event (tenant_id, event_id, event) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`;

/** The oldest event that no other process is taking. $1: tenant. */
export const TAKE_EVENT = `
  DELETE FROM waiting_event
   WHERE tenant_id = $1 AND event_id = (
     SELECT event_id FROM waiting_event WHERE tenant_id = $1 ORDER BY event_id LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING event`;

/** The event that cannot be handled, unless another process has taken it. $1: tenant, $2: event. */
export const REMOVE_EVENT = `
  DELETE FROM waiting_event WHERE tenant_id = $1 AND event_id = $2 RETURNING event_id`;

/** Tenants whose events wait, 1,000 at most. */
export const LIST_TENANTS_OF_EVENTS = `
  WITH RECURSIVE hop AS (
    (SELECT tenant_id FROM waiting_event ORDER BY tenant_id LIMIT 1)
    UNION ALL
    SELECT (SELECT tenant_id FROM waiting_event WHERE tenant_id > hop.tenant_id ORDER BY tenant_id LIMIT 1)
      FROM hop WHERE hop.tenant_id IS NOT NULL)
  SELECT tenant_id AS "tenantId" FROM hop WHERE tenant_id IS NOT NULL LIMIT 1000`;

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

export interface TenantQueue {
  readonly tenantId: string;
  readonly queued: number;
  readonly eventsWait: boolean;
}

export interface ClaimOptions {
  readonly limit: number;
  readonly leaseSeconds: number;
  /** Tenants whose runs are left for later. */
  readonly except?: readonly string[];
  /** The tenant after which the turns begin. */
  readonly after?: string;
  /** How many runs of a tenant are under way. */
  readonly underWay?: ReadonlyMap<string, number>;
}

export interface ClaimedRuns {
  /** In the order of the tenants' turns. */
  readonly claims: Claim[];
  /** Whether the time of others has come meanwhile: the next claim finds them. */
  readonly hasWoken: boolean;
}

type ClaimRow = (Claim | { readonly [Member in keyof Claim]: null }) & { readonly hasWoken: boolean };

/**
 * The queue of runs. A claim is a lease: `due_at` moves into the future, after which a dead worker's run is due again.
 * A slow worker that has lost its claim writes nothing more. `waits` tells the indexes which runs need not be looked at:
 * one that waits is not claimed before it was woken, one that does not may still be due later.
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

  /** Claims due runs in one round trip. */
  async claim({ limit, leaseSeconds, except = [], after, underWay = new Map() }: ClaimOptions): Promise<ClaimedRuns> {
    const rows = await this.database.crossTenantStatement<ClaimRow>(CLAIM_RUNS, [
      newId(),
      leaseSeconds,
      limit,
      except,
      after ?? NO_TENANT,
      [...underWay.keys()],
      [...underWay.values()],
      WOKEN_AT_A_TIME,
    ]);
    const claims = rows.flatMap(({ hasWoken, ...claim }) => (claim.runId === null ? [] : [claim as Claim]));
    return { claims, hasWoken: rows[0]?.hasWoken ?? false };
  }

  /** Keeps an event until its tenant may queue more runs. */
  keepEvent(tx: TenantTransaction, event: EventEnvelope): void {
    tx.issue(KEEP_EVENT, [tx.tenantId, event.id, JSON.stringify(event)]);
  }

  /** Removes the oldest event of the tenant, unless others are taking all there are. */
  async takeEvent(tx: TenantTransaction): Promise<EventEnvelope | undefined> {
    const [row] = await tx.query<{ event: EventEnvelope }>(TAKE_EVENT, [tx.tenantId]);
    return row?.event;
  }

  /** @returns whether it was still there */
  async removeEvent(tx: TenantTransaction, eventId: string): Promise<boolean> {
    return (await tx.query(REMOVE_EVENT, [tx.tenantId, eventId])).length > 0;
  }

  async tenantsOfEvents(): Promise<string[]> {
    const rows = await this.database.crossTenantStatement<{ tenantId: string }>(LIST_TENANTS_OF_EVENTS, []);
    return rows.map(({ tenantId }) => tenantId);
  }

  async release(tx: NarrowTransaction, claims: readonly Claim[]): Promise<void> {
    await tx.query(RELEASE_RUNS, [
      claims.map((claim) => claim.tenantId),
      claims.map((claim) => claim.runId),
      claims.map((claim) => claim.claimId),
      claims.map((claim) => claim.dueAt),
    ]);
  }

  /** @param most up to which runs are counted */
  async measure(tenantIds: readonly string[], most: number): Promise<TenantQueue[]> {
    return this.database.crossTenantStatement<TenantQueue>(MEASURE_TENANTS, [tenantIds, most]);
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
