import type { EventEnvelope } from '@crm/contracts';
import {
  Database,
  lowestIdOf,
  type NarrowTransaction,
  NO_TENANT,
  newId,
  type ReadOfEveryTenant,
  type TenantTransaction,
  Wake,
} from '@crm/database';
import { Injectable } from '@nestjs/common';

/** Runs whose time has come that one claim puts with those that are due. A parameter: a plan for as many would walk the queue. */
const WOKEN_AT_A_TIME = 200;
/** Tenants that one claim looks at, those included that it leaves out. */
const TENANTS_AT_A_TIME = 1_000;
const FIRST_TENANT = `'${NO_TENANT}'::uuid`;
const LAST_TENANT = "'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid";

/**
 * Tenants in the order of their turns. It goes from tenant to tenant by the index of those that do not wait, so that what a tenant
 * has queued costs a claim nothing.
 */
const turns = (
  queue: string,
  { except, after, limit }: Record<'except' | 'after' | 'limit', string>,
): string => `hop AS (
    SELECT 0 AS n, 0 AS found, 0 AS round, ${after}::uuid AS tenant_id
    UNION ALL
    SELECT hop.n + 1, hop.found + (next.tenant_id <> ALL (${except}::uuid[]) IS TRUE)::int,
           hop.round + (next.tenant_id IS NULL)::int, coalesce(next.tenant_id, ${FIRST_TENANT})
      FROM hop LEFT JOIN LATERAL (
        SELECT tenant_id FROM ${queue}
         WHERE NOT waits AND tenant_id > hop.tenant_id
           AND tenant_id <= CASE hop.round WHEN 0 THEN ${LAST_TENANT} ELSE ${after}::uuid END
         ORDER BY tenant_id LIMIT 1) AS next ON true
     WHERE hop.round < 2 AND hop.found < ${limit}::int AND hop.n < ${TENANTS_AT_A_TIME})`;

/**
 * Claims due runs without waiting for other workers: the tenants take turns, of each the oldest come first. $1: claim,
 * $2: lease seconds, $3: limit, $4: tenants to leave out, $5: the tenant after which the turns begin, $6, $7: tenants
 * with runs under way, and how many, $8: most to wake.
 * Runs that wait for a time, a claim's included, are in another index than those of `turns`, and come back by `woken`. No
 * tenant gets more than it may begin (`TenantShares`).
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
  ${turns('run_queue', { except: '$4', after: '$5', limit: '$3' })},
  chosen AS MATERIALIZED (
    SELECT n, tenant_id, ceil(($3::int - coalesce(running, 0)) / 2.0) AS open, ceil($3::numeric / count(*) OVER ()) AS share
      FROM hop LEFT JOIN unnest($6::uuid[], $7::int[]) AS begun (tenant_id, running) USING (tenant_id)
     WHERE n > 0 AND tenant_id <> ${FIRST_TENANT} AND tenant_id <> ALL ($4::uuid[])
     ORDER BY n),
  due AS MATERIALIZED (
    SELECT chosen.n, ready.* FROM chosen CROSS JOIN LATERAL (
        SELECT tenant_id, run_id, due_at FROM run_queue
         WHERE tenant_id = chosen.tenant_id AND NOT waits AND due_at <= now()
         ORDER BY due_at LIMIT greatest(1, least(chosen.open, chosen.share)) FOR UPDATE SKIP LOCKED) AS ready
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

// The same on a cluster, where nothing is claimed for several tenants at once.

/** Tenants of which runs are due. $1: tenants to leave out, $2: the tenant after which the turns begin, $3: limit, $4: most of late runs. */
const tenantsOfDueRuns: ReadOfEveryTenant = (table) => `
  WITH RECURSIVE ${turns(table('run_queue'), { except: '$1', after: '$2', limit: '$3' })}
  SELECT tenant_id AS "tenantId" FROM hop WHERE n > 0 AND tenant_id <> ${FIRST_TENANT} AND tenant_id <> ALL ($1::uuid[])
  UNION
  SELECT tenant_id FROM (
    SELECT tenant_id FROM ${table('run_queue')} WHERE waits AND due_at <= now() AND tenant_id <> ALL ($1::uuid[])
     ORDER BY due_at LIMIT $4::int) AS late`;

/** $1: tenant, $2: claim, $3: lease seconds, $4: limit. */
const CLAIM_RUNS_OF_TENANT = `
  SELECT $1::uuid AS "tenantId", run_id AS "runId", $2::uuid AS "claimId", workflow_id AS "workflowId", was_due_at AS "dueAt",
         claims, traceparent
    FROM claim_runs($1, $2, $3, $4)`;

/** Gives back what was claimed and not begun. $1: tenant, $2: run, $3: claim, $4: when due. */
export const RELEASE_RUN = `
  UPDATE run_queue SET due_at = $4, waits = false, claim_id = NULL, claims = claims - 1
   WHERE tenant_id = $1 AND run_id = $2 AND claim_id = $3`;

/** A run with an id from $1 up to $2 that is queued, of any tenant. */
const FIND_QUEUED_RUN = 'SELECT run_id FROM run_queue WHERE run_id >= $1 AND run_id < $2 LIMIT 1';

/**
 * Runs that are due and wait for a worker: the oldest 1,000 of each of 500 tenants, and those that no worker has woken.
 * $1: tenants whose runs wait for something else.
 */
export const measureDueRuns: ReadOfEveryTenant = (table) => `
  WITH RECURSIVE hop AS (
    SELECT 0 AS n, ${FIRST_TENANT} AS tenant_id
    UNION ALL
    SELECT hop.n + 1,
           (SELECT tenant_id FROM ${table('run_queue')} WHERE NOT waits AND tenant_id > hop.tenant_id ORDER BY tenant_id LIMIT 1)
      FROM hop WHERE hop.n < 500 AND hop.tenant_id IS NOT NULL)
  SELECT count(*)::int AS items, extract(epoch FROM now() - min(due_at))::float8 AS "oldestSeconds" FROM (
    SELECT ready.due_at FROM hop CROSS JOIN LATERAL (
        SELECT due_at FROM ${table('run_queue')}
         WHERE tenant_id = hop.tenant_id AND NOT waits AND due_at <= now() ORDER BY due_at LIMIT 1000) AS ready
     WHERE hop.n > 0 AND hop.tenant_id <> ALL ($1::uuid[])
    UNION ALL
    (SELECT due_at FROM ${table('run_queue')}
      WHERE waits AND due_at <= now() AND tenant_id <> ALL ($1::uuid[]) ORDER BY due_at LIMIT 1000)) AS due`;

const measured = (tenant: string): string => `
  SELECT ${tenant} AS "tenantId", EXISTS (SELECT FROM waiting_event WHERE tenant_id = ${tenant}) AS "eventsWait",
         (SELECT count(*)::int FROM (SELECT FROM run_queue WHERE tenant_id = ${tenant} LIMIT $2) AS queued) AS queued`;

/** How many runs tenants have queued, counted up to $2, and whether events of theirs wait. $1: tenants. */
export const MEASURE_TENANTS = `${measured('asked.tenant_id')} FROM unnest($1::uuid[]) AS asked (tenant_id)`;
/** The same on a cluster. $1: tenant. */
const MEASURE_TENANT = measured('$1::uuid');

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
export const tenantsOfEvents: ReadOfEveryTenant = (table) => `
  WITH RECURSIVE hop AS (
    (SELECT tenant_id FROM ${table('waiting_event')} ORDER BY tenant_id LIMIT 1)
    UNION ALL
    SELECT (SELECT tenant_id FROM ${table('waiting_event')} WHERE tenant_id > hop.tenant_id ORDER BY tenant_id LIMIT 1)
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
  /** True when the time of others has come meanwhile: the next claim finds them. */
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
  constructor(private readonly database: Database) {}

  /** Claims due runs, in one round trip where one server has all of them. */
  async claim(options: ClaimOptions): Promise<ClaimedRuns> {
    if (await this.database.everyTenant.isDistributed()) return this.claimByTenant(options);
    const { limit, leaseSeconds, except = [], after, underWay = new Map() } = options;
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

  private async claimByTenant(options: ClaimOptions): Promise<ClaimedRuns> {
    const { limit, leaseSeconds, except = [], after = NO_TENANT, underWay } = options;
    const { everyTenant } = this.database;
    const parameters = [except, after, limit, WOKEN_AT_A_TIME];
    const found = await everyTenant.read<{ tenantId: string }>(tenantsOfDueRuns, parameters);
    const sorted = [...new Set(found.map(({ tenantId }) => tenantId))].sort();
    const inTurn = [
      ...sorted.filter((tenantId) => tenantId > after),
      ...sorted.filter((tenantId) => tenantId <= after),
    ];
    const claimId = newId();
    let free = limit;
    const calls: unknown[][] = [];
    for (const tenantId of inTurn) {
      if (free === 0) break;
      const open = Math.ceil((limit - (underWay?.get(tenantId) ?? 0)) / 2);
      const most = Math.min(free, Math.max(1, Math.min(open, Math.ceil(limit / inTurn.length))));
      calls.push([tenantId, claimId, leaseSeconds, most]);
      free -= most;
    }
    return { claims: await everyTenant.call<Claim>(CLAIM_RUNS_OF_TENANT, calls), hasWoken: false };
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
    const rows = await this.database.everyTenant.read<{ tenantId: string }>(tenantsOfEvents);
    return rows.map(({ tenantId }) => tenantId);
  }

  async release(claims: readonly Claim[]): Promise<void> {
    const calls = claims.map(({ tenantId, runId, claimId, dueAt }) => [tenantId, runId, claimId, dueAt]);
    await this.database.everyTenant.call(RELEASE_RUN, calls);
  }

  /** @param most up to which runs are counted */
  async measure(tenantIds: readonly string[], most: number): Promise<TenantQueue[]> {
    const { everyTenant } = this.database;
    if (await everyTenant.isDistributed()) {
      const calls = tenantIds.map((tenantId) => [tenantId, most]);
      return everyTenant.call<TenantQueue>(MEASURE_TENANT, calls);
    }
    return this.database.crossTenantStatement<TenantQueue>(MEASURE_TENANTS, [tenantIds, most]);
  }

  /** Returns whether a run of any tenant is queued whose id has a time from `from` up to `to`, in milliseconds since 1970. */
  async hasRunsOf(tx: NarrowTransaction, from: number, to: number): Promise<boolean> {
    return (await tx.query(FIND_QUEUED_RUN, [lowestIdOf(from), lowestIdOf(to)])).length > 0;
  }
}

/** Wakes the worker of this process when a run was stored. The worker also polls, so that a lost signal only delays. */
@Injectable()
export class RunSignal extends Wake {}
