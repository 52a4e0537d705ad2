import { lowestIdOf, type NarrowTransaction, type Room, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { Recovery, RecoveryRequest, RecoveryState } from './recovery.js';
import {
  ADVANCE_RECOVERY,
  CLAIM_RECOVERIES,
  COUNT_DUE,
  COUNT_RECOVERABLE,
  FIND_NEXT_RECOVERY,
  FIND_RECOVERY,
  LOCK_RECOVERY,
  MAKE_DUE,
  RELEASE_RECOVERIES,
  START_RECOVERY,
} from './recovery.sql.js';

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
