import {
  byTenant,
  type Capacity,
  Database,
  lowestIdOf,
  measureDueWork,
  type ReadOfEveryTenant,
  type TenantTransaction,
} from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { SubscriptionKey } from '../queue/subscription-queue.repository.js';

const COLUMNS = `state, since, include_failed AS "includeFailed", total, done, started_at AS "startedAt",
         finished_at AS "finishedAt"`;

/** Served by a partial index. $1: tenant, $2: subscription, $3: whether failed ones too. */
const RECOVERABLE = `tenant_id = $1 AND subscription_id = $2
       AND status IN ('held', 'failed', 'blocked') AND (status = 'held' OR $3)`;

/** $1: tenant, $2: subscription. */
const FIND_RECOVERY = `
  SELECT ${COLUMNS} FROM recovery WHERE tenant_id = $1 AND subscription_id = $2`;

/** $1 to $3 as above, $4: lowest id, $5: end of the ids, $6: where counting ends. */
const COUNT_RECOVERABLE = `
  SELECT count(*)::int AS count FROM (
    SELECT 1 FROM delivery WHERE ${RECOVERABLE} AND id >= $4 AND id < $5 LIMIT $6) AS recoverable`;

/** No row when one is running. $1: tenant, $2: subscription; the others in the order of the columns. */
const START_RECOVERY = `
  INSERT INTO recovery (tenant_id, subscription_id, state, since, include_failed, total, next_id, end_id, started_at, due_at)
  VALUES ($1, $2, 'running', $3, $4, $5, $6, $7, $8, now())
  ON CONFLICT (tenant_id, subscription_id) DO UPDATE
     SET state = 'running', since = EXCLUDED.since, include_failed = EXCLUDED.include_failed, total = EXCLUDED.total,
         done = 0, next_id = EXCLUDED.next_id, end_id = EXCLUDED.end_id, started_at = EXCLUDED.started_at,
         finished_at = NULL, due_at = EXCLUDED.due_at, claim = NULL
   WHERE recovery.state <> 'running'
  RETURNING ${COLUMNS}`;

/** $1: tenants to leave out, $2: limit. */
const findDueRecoveries: ReadOfEveryTenant = (table) => `
  SELECT tenant_id AS "tenantId", subscription_id AS "subscriptionId", due_at AS "dueAt" FROM ${table('recovery')}
   WHERE due_at <= now() AND tenant_id <> ALL ($1::uuid[]) ORDER BY due_at LIMIT $2`;

/** No row when another process has claimed it. $1: tenant, $2: subscription, $3: the claim, $4: milliseconds until it expires. */
const CLAIM_RECOVERY = `
  UPDATE recovery SET claim = $3, due_at = now() + $4 * interval '1 millisecond'
   WHERE tenant_id = $1 AND subscription_id = $2 AND due_at <= now()
  RETURNING subscription_id AS "subscriptionId"`;

/** $1: tenant, $2: subscription, $3: claim, $4: earlier due time. */
const RELEASE_RECOVERY = `
  UPDATE recovery SET claim = NULL, due_at = $4 WHERE tenant_id = $1 AND subscription_id = $2 AND claim = $3`;

/** $1: tenants to leave out. */
const findNextRecovery: ReadOfEveryTenant = (table) => `
  SELECT (extract(epoch FROM due_at - now()) * 1000)::float8 AS "dueInMs" FROM ${table('recovery')}
   WHERE due_at IS NOT NULL AND tenant_id <> ALL ($1::uuid[]) ORDER BY due_at LIMIT 1`;

/** $1: tenant, $2: subscription, $3: claim. */
const LOCK_RECOVERY = `
  SELECT include_failed AS "includeFailed", total, done, next_id AS "nextId", end_id AS "endId"
    FROM recovery WHERE tenant_id = $1 AND subscription_id = $2 AND claim = $3 FOR UPDATE`;

/** Includes deliveries in an attempt. $1: tenant, $2: subscription, $3: where counting ends. */
const COUNT_DUE = `
  SELECT count(*)::int AS count FROM (
    SELECT 1 FROM due_delivery WHERE tenant_id = $1 AND subscription_id = $2 AND due_at <= now() LIMIT $3) AS due`;

/** Makes the oldest due. $1 to $3 as above, $4: lowest id, $5: end of the ids, $6: limit. */
const RECOVER_DELIVERIES = 'SELECT ids, held FROM recover_deliveries($1, $2, $3, $4, $5, $6)';

/** $1: tenant, $2: subscription, $3: state, $4: done in this step, $5: next id, $6: milliseconds to the next step; null at the end, $7: the end. */
const ADVANCE_RECOVERY = `
  UPDATE recovery SET state = $3, done = done + $4, next_id = $5, claim = NULL,
         due_at = now() + $6 * interval '1 millisecond', finished_at = $7
   WHERE tenant_id = $1 AND subscription_id = $2`;

export const MEASURE_DUE_RECOVERIES = measureDueWork('recovery', 'due_at');

/** `stopped`: the subscription was paused or disabled meanwhile; the rest stays held. */
export const RECOVERY_STATES = ['running', 'completed', 'stopped'] as const;
export type RecoveryState = (typeof RECOVERY_STATES)[number];

/** A subscription has one at a time and keeps the last one. */
export interface Recovery {
  readonly state: RecoveryState;
  /** Only events from then on; null for all. */
  readonly since: Date | null;
  readonly includeFailed: boolean;
  /** Deliveries at the start, up to the requested limit. */
  readonly total: number;
  readonly done: number;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
}

export interface RecoveryRequest extends Pick<Recovery, 'since' | 'includeFailed'> {
  readonly subscriptionId: string;
  readonly limit: number;
}

export interface ClaimedRecovery extends SubscriptionKey {
  /** A recovery that another process has claimed in the meantime is not changed. */
  readonly claim: string;
  readonly dueAt: Date;
}

export interface RecoveryStep extends Pick<Recovery, 'includeFailed' | 'total' | 'done'> {
  readonly nextId: string;
  readonly endId: string;
}

export interface MadeDue {
  /** In order. */
  readonly ids: readonly string[];
  /** How many of them were held. */
  readonly held: number;
}

export interface RecoveryProgress {
  readonly state: RecoveryState;
  /** Deliveries that this step made due. */
  readonly done: number;
  readonly nextId: string;
  readonly nextInMs: number | null;
}

export const NONE_DUE: MadeDue = { ids: [], held: 0 };

const inOrder = <Of extends SubscriptionKey>(recoveries: readonly Of[]): Of[] =>
  byTenant(recoveries).flatMap(([, own]) => own);

@Injectable()
export class RecoveryRepository {
  constructor(private readonly database: Database) {}

  async find(tx: TenantTransaction, subscriptionId: string): Promise<Recovery | null> {
    const [row] = await tx.query<Recovery>(FIND_RECOVERY, [tx.tenantId, subscriptionId]);
    return row ?? null;
  }

  /** @returns null when one is running */
  async start(tx: TenantTransaction, request: RecoveryRequest): Promise<Recovery | null> {
    const { subscriptionId, since, includeFailed, limit } = request;
    const startedAt = new Date();
    // An event of this millisecond is recovered too.
    const ids = [lowestIdOf(since?.getTime() ?? 0), lowestIdOf(startedAt.getTime() + 1)];
    const recoverable = [tx.tenantId, subscriptionId, includeFailed, ...ids, limit];
    const [counted] = await tx.query<{ count: number }>(COUNT_RECOVERABLE, recoverable);
    const started = [tx.tenantId, subscriptionId, since, includeFailed, counted?.count ?? 0, ...ids, startedAt];
    const [row] = await tx.query<Recovery>(START_RECOVERY, started);
    return row ?? null;
  }

  async claim(claim: string, { slots, fullTenants }: Capacity, claimMs: number): Promise<ClaimedRecovery[]> {
    type Due = Omit<ClaimedRecovery, 'claim'>;
    const { everyTenant } = this.database;
    const found = await everyTenant.read<Due>(findDueRecoveries, [fullTenants, slots]);
    const due = found.sort((one, other) => one.dueAt.getTime() - other.dueAt.getTime()).slice(0, slots);
    const calls = inOrder(due).map(({ tenantId, subscriptionId }) => [tenantId, subscriptionId, claim, claimMs]);
    const claimed = await everyTenant.call<{ subscriptionId: string }>(CLAIM_RECOVERY, calls);
    const own = new Set(claimed.map(({ subscriptionId }) => subscriptionId));
    return due.filter(({ subscriptionId }) => own.has(subscriptionId)).map((recovery) => ({ ...recovery, claim }));
  }

  async release(recoveries: readonly ClaimedRecovery[]): Promise<void> {
    const calls = inOrder(recoveries).map((one) => [one.tenantId, one.subscriptionId, one.claim, one.dueAt]);
    await this.database.everyTenant.call(RELEASE_RECOVERY, calls);
  }

  async findDueInMs(fullTenants: readonly string[]): Promise<number | null> {
    const rows = await this.database.everyTenant.read<{ dueInMs: number }>(findNextRecovery, [fullTenants]);
    return rows.length > 0 ? Math.max(0, Math.min(...rows.map(({ dueInMs }) => dueInMs))) : null;
  }

  /** @returns null when another process has claimed it meanwhile, or its subscription was deleted */
  async lock(tx: TenantTransaction, { subscriptionId, claim }: ClaimedRecovery): Promise<RecoveryStep | null> {
    const [row] = await tx.query<RecoveryStep>(LOCK_RECOVERY, [tx.tenantId, subscriptionId, claim]);
    return row ?? null;
  }

  async countDue(tx: TenantTransaction, subscriptionId: string, limit: number): Promise<number> {
    const [row] = await tx.query<{ count: number }>(COUNT_DUE, [tx.tenantId, subscriptionId, limit]);
    return row?.count ?? 0;
  }

  /** The hold is locked. */
  async makeDue(tx: TenantTransaction, subscriptionId: string, step: RecoveryStep, limit: number): Promise<MadeDue> {
    const { includeFailed, nextId, endId } = step;
    const parameters = [tx.tenantId, subscriptionId, includeFailed, nextId, endId, limit];
    const [made] = await tx.query<MadeDue>(RECOVER_DELIVERIES, parameters);
    return made ?? NONE_DUE;
  }

  advance(tx: TenantTransaction, subscriptionId: string, progress: RecoveryProgress): void {
    const { state, done, nextId, nextInMs } = progress;
    const finishedAt = nextInMs === null ? new Date() : null;
    tx.issue(ADVANCE_RECOVERY, [tx.tenantId, subscriptionId, state, done, nextId, nextInMs, finishedAt]);
  }
}
