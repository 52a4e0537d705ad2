import { lowestIdOf, measureDueWork, type NarrowTransaction, type TenantTransaction } from '@crm/database';
import type { Room } from '@crm/worker';
import { Injectable } from '@nestjs/common';
import { DUE_AGAIN } from '../queue/due-again.js';
import type { Recovery, RecoveryRequest, RecoveryState } from './recovery.js';

// Sending what a subscription holds. Who changes held deliveries has locked their hold (see holding.sql.ts).

const COLUMNS = `state, since, include_failed AS "includeFailed", total, done, started_at AS "startedAt",
         finished_at AS "finishedAt"`;

/**
 * An index of those that can be recovered, by subscription, serves it. $1: tenant, $2: subscription, $3: whether failed ones
 * too; ids are compared by who uses it.
 */
const RECOVERABLE = `tenant_id = $1 AND subscription_id = $2
       AND status IN ('held', 'failed', 'blocked') AND (status = 'held' OR $3)`;

/** $1: tenant, $2: subscription. */
export const FIND_RECOVERY = `
  SELECT ${COLUMNS} FROM recovery WHERE tenant_id = $1 AND subscription_id = $2`;

/** $1 to $3 as above, $4: lowest id, $5: id that is too high, $6: where counting ends. */
export const COUNT_RECOVERABLE = `
  SELECT count(*)::int AS count FROM (
    SELECT 1 FROM delivery WHERE ${RECOVERABLE} AND id >= $4 AND id < $5 LIMIT $6) AS recoverable`;

/**
 * Gives nothing when one is running. $1: tenant, $2: subscription, $3: since when, $4: whether failed ones too, $5: how many,
 * $6: lowest id, $7: id that is too high, $8: when it starts.
 */
export const START_RECOVERY = `
  INSERT INTO recovery (tenant_id, subscription_id, state, since, include_failed, total, next_id, end_id, started_at, due_at)
  VALUES ($1, $2, 'running', $3, $4, $5, $6, $7, $8, now())
  ON CONFLICT (tenant_id, subscription_id) DO UPDATE
     SET state = 'running', since = EXCLUDED.since, include_failed = EXCLUDED.include_failed, total = EXCLUDED.total,
         done = 0, next_id = EXCLUDED.next_id, end_id = EXCLUDED.end_id, started_at = EXCLUDED.started_at,
         finished_at = NULL, due_at = now(), claim = NULL
   WHERE recovery.state <> 'running'
  RETURNING ${COLUMNS}`;

/** $1: the claim, $2: how many, $3: tenants that are left out, $4: milliseconds that the claim holds. */
export const CLAIM_RECOVERIES = `
  WITH due AS MATERIALIZED (
    SELECT tenant_id, subscription_id, due_at FROM recovery
     WHERE due_at <= now() AND tenant_id <> ALL ($3::uuid[])
     ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED)
  UPDATE recovery SET claim = $1, due_at = now() + $4 * interval '1 millisecond'
    FROM due WHERE recovery.tenant_id = due.tenant_id AND recovery.subscription_id = due.subscription_id
  RETURNING recovery.tenant_id AS "tenantId", recovery.subscription_id AS "subscriptionId", claim, due.due_at AS "dueAt"`;

/** $1, $2, $3, $4: tenants, subscriptions, claims and earlier due times. */
export const RELEASE_RECOVERIES = `
  UPDATE recovery SET claim = NULL, due_at = released.due_at
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[])
      AS released (tenant_id, subscription_id, claim, due_at)
   WHERE recovery.tenant_id = released.tenant_id AND recovery.subscription_id = released.subscription_id
     AND recovery.claim = released.claim`;

/** $1: tenants that are left out. */
export const FIND_NEXT_RECOVERY = `
  SELECT (extract(epoch FROM due_at - now()) * 1000)::float8 AS "dueInMs" FROM recovery
   WHERE due_at IS NOT NULL AND tenant_id <> ALL ($1::uuid[]) ORDER BY due_at LIMIT 1`;

/** Gives nothing when another process has claimed it meanwhile, or it is gone. $1: tenant, $2: subscription, $3: claim. */
export const LOCK_RECOVERY = `
  SELECT include_failed AS "includeFailed", total, done, next_id AS "nextId", end_id AS "endId"
    FROM recovery WHERE tenant_id = $1 AND subscription_id = $2 AND claim = $3 FOR UPDATE`;

/** What is due of a subscription or in an attempt, but not what waits for a later one. $1: tenant, $2: subscription, $3: where counting ends. */
export const COUNT_DUE = `
  SELECT count(*)::int AS count FROM (
    SELECT 1 FROM due_delivery WHERE tenant_id = $1 AND subscription_id = $2 AND due_at <= now() LIMIT $3) AS due`;

/**
 * Makes the oldest due, behind first attempts of the same subscription. Gives the statuses that they had, with how many had
 * each, and the highest id. $1 to $3 as above, $4: lowest id, $5: id that is too high, $6: how many.
 */
export const MAKE_DUE = `
  WITH chosen AS MATERIALIZED (
    SELECT tenant_id, id, status FROM delivery
     WHERE ${RECOVERABLE} AND id >= $4 AND id < $5
     ORDER BY id LIMIT $6 FOR UPDATE SKIP LOCKED),
  again AS (
    UPDATE delivery SET status = CASE WHEN attempts = 0 THEN 'pending' ELSE 'retrying' END,
           next_attempt_at = CASE WHEN record_id IS NULL THEN now() END, set_aside = false
      FROM chosen WHERE delivery.tenant_id = chosen.tenant_id AND delivery.id = chosen.id
    RETURNING delivery.tenant_id, delivery.id, delivery.subscription_id, delivery.event_id, delivery.attempts,
              delivery.next_attempt_at, delivery.record_id, delivery.record_version),${DUE_AGAIN}
  SELECT id, status = 'held' AS "wasHeld" FROM chosen ORDER BY id`;

/**
 * $1: tenant, $2: subscription, $3: state, $4: how many more are done, $5: lowest id of the next ones, $6: milliseconds until
 * the next ones are made due; null when it has ended.
 */
export const ADVANCE_RECOVERY = `
  UPDATE recovery SET state = $3, done = done + $4, next_id = $5, claim = NULL,
         due_at = now() + $6 * interval '1 millisecond', finished_at = CASE WHEN $6::float8 IS NULL THEN now() END
   WHERE tenant_id = $1 AND subscription_id = $2`;

/** Recoveries that are due and that no process continues. */
export const MEASURE_DUE_RECOVERIES = measureDueWork('recovery', 'due_at');

/** A recovery of which this process makes the next deliveries due. */
export interface ClaimedRecovery {
  readonly tenantId: string;
  readonly subscriptionId: string;
  /** Proves the claim: a recovery that another process has claimed in the meantime is not changed. */
  readonly claim: string;
  readonly dueAt: Date;
}

/** What is left to do of a recovery. */
export interface RecoveryStep {
  readonly includeFailed: boolean;
  readonly total: number;
  readonly done: number;
  readonly nextId: string;
  readonly endId: string;
}

export interface MadeDue {
  readonly id: string;
  readonly wasHeld: boolean;
}

/** How a recovery goes on. */
export interface RecoveryProgress {
  readonly state: RecoveryState;
  /** Made due by this step. */
  readonly done: number;
  readonly nextId: string;
  /** Milliseconds until the next step; null when there is none. */
  readonly nextInMs: number | null;
}

@Injectable()
export class RecoveryRepository {
  /** @returns null when the subscription never had one */
  async find(tx: TenantTransaction, subscriptionId: string): Promise<Recovery | null> {
    const [row] = await tx.query<Recovery>(FIND_RECOVERY, [tx.tenantId, subscriptionId]);
    return row ?? null;
  }

  /**
   * Starts a recovery of events that happened until now.
   * @returns null when one is running
   */
  async start(tx: TenantTransaction, request: RecoveryRequest): Promise<Recovery | null> {
    const { subscriptionId, since, includeFailed, limit } = request;
    const startedAt = new Date();
    // An event of this millisecond is recovered too.
    const ids = [lowestIdOf(since?.getTime() ?? 0), lowestIdOf(startedAt.getTime() + 1)];
    const [counted] = await tx.query<{ count: number }>(COUNT_RECOVERABLE, [
      tx.tenantId,
      subscriptionId,
      includeFailed,
      ...ids,
      limit,
    ]);
    const [row] = await tx.query<Recovery>(START_RECOVERY, [
      tx.tenantId,
      subscriptionId,
      since,
      includeFailed,
      counted?.count ?? 0,
      ...ids,
      startedAt,
    ]);
    return row ?? null;
  }

  /** @param claimMs milliseconds that the claim holds; longer than a step can take */
  claim(
    tx: NarrowTransaction,
    claim: string,
    { places, fullTenants }: Room,
    claimMs: number,
  ): Promise<ClaimedRecovery[]> {
    return tx.query<ClaimedRecovery>(CLAIM_RECOVERIES, [claim, places, fullTenants, claimMs]);
  }

  async release(tx: NarrowTransaction, recoveries: readonly ClaimedRecovery[]): Promise<void> {
    tx.issue(RELEASE_RECOVERIES, [
      recoveries.map(({ tenantId }) => tenantId),
      recoveries.map(({ subscriptionId }) => subscriptionId),
      recoveries.map(({ claim }) => claim),
      recoveries.map(({ dueAt }) => dueAt),
    ]);
  }

  /** Milliseconds until a recovery is due; null when none is running. */
  async findDueInMs(tx: NarrowTransaction, fullTenants: readonly string[]): Promise<number | null> {
    const [row] = await tx.query<{ dueInMs: number }>(FIND_NEXT_RECOVERY, [fullTenants]);
    return row ? Math.max(0, row.dueInMs) : null;
  }

  /**
   * Holds the row until the transaction ends.
   * @returns null when another process has claimed it meanwhile, or its subscription was deleted
   */
  async lock(tx: TenantTransaction, { subscriptionId, claim }: ClaimedRecovery): Promise<RecoveryStep | null> {
    const [row] = await tx.query<RecoveryStep>(LOCK_RECOVERY, [tx.tenantId, subscriptionId, claim]);
    return row ?? null;
  }

  /** How many deliveries of the subscription are due, counting no further than `limit`. */
  async countDue(tx: TenantTransaction, subscriptionId: string, limit: number): Promise<number> {
    const [row] = await tx.query<{ count: number }>(COUNT_DUE, [tx.tenantId, subscriptionId, limit]);
    return row?.count ?? 0;
  }

  /** Makes the oldest due that are left; the hold is locked. In the order of their events. */
  makeDue(tx: TenantTransaction, subscriptionId: string, step: RecoveryStep, limit: number): Promise<MadeDue[]> {
    const { includeFailed, nextId, endId } = step;
    return tx.query<MadeDue>(MAKE_DUE, [tx.tenantId, subscriptionId, includeFailed, nextId, endId, limit]);
  }

  advance(tx: TenantTransaction, subscriptionId: string, progress: RecoveryProgress): void {
    const { state, done, nextId, nextInMs } = progress;
    tx.issue(ADVANCE_RECOVERY, [tx.tenantId, subscriptionId, state, done, nextId, nextInMs]);
  }
}
