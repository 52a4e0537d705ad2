import type { NarrowTransaction, TenantTransaction } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';
import {
  DELETE_HOLD,
  DISCARD_HELD_DELIVERIES,
  DISCARD_HOLDS,
  HOLD_CLAIMED_DELIVERIES,
  HOLD_DUE_DELIVERIES,
  INSERT_HELD_DELIVERIES,
  LIST_COUNTING_HOLDS,
  LIST_DISCARDED_HOLDS,
  LIST_HOLDS,
  LOCK_HOLDS,
  OPEN_HOLD,
  RECOUNT_HOLDS,
  REDUCE_HOLD,
} from './hold.sql.js';

/** What a subscription holds. */
export interface Hold {
  /** Deliveries with the status `held`. */
  readonly held: number;
  /** Events that were not held since it was last paused or disabled, because it held as many as it may. */
  readonly dropped: number;
}

export const NOTHING_HELD: Hold = { held: 0, dropped: 0 };

/** The subscription whose hold it is. */
export interface HoldKey {
  readonly tenantId: string;
  readonly subscriptionId: string;
}

export interface HeldDelivery extends HoldKey {
  readonly id: string;
  readonly eventId: string;
  readonly event: string;
  readonly url: string;
  /** Null for a subscription of the workspace. */
  readonly app: { readonly key: string; readonly installationId: string } | null;
  /** Where it stands among those of its record; null for one without an order. */
  readonly place: { readonly recordId: string; readonly recordVersion: number } | null;
}

/** An event of which every delivery is held. */
export interface HeldEvent {
  readonly tenantId: string;
  readonly eventId: string;
  readonly event: string;
  readonly body: string;
}

export interface ClaimedHeldDelivery extends HoldKey {
  readonly deliveryId: string;
  /** Id of the claim. */
  readonly claim: string;
}

const tenantsOf = (holds: readonly { tenantId: string }[]) => holds.map(({ tenantId }) => tenantId);
const subscriptionsOf = (holds: readonly HoldKey[]) => holds.map(({ subscriptionId }) => subscriptionId);

/**
 * What subscriptions hold while they are paused or disabled. A hold is opened when that begins, and stays until the
 * subscription is deleted. Whoever changes held deliveries locks their holds first.
 */
@Injectable()
export class HoldRepository {
  constructor(@Inject(WEBHOOK_CONFIG) private readonly config: Pick<WebhookConfig, 'heldPerSubscription'>) {}

  /** Holds the rows until the transaction ends. Does not wait for the server. */
  lock(tx: TenantTransaction | NarrowTransaction, holds: readonly HoldKey[]): void {
    tx.issue(LOCK_HOLDS, [tenantsOf(holds), subscriptionsOf(holds)]);
  }

  /**
   * Writes deliveries that are held before any attempt, as many as fit; their holds are locked.
   * @param events those of which every delivery is held: a body is written only where a delivery is
   * @returns how many deliveries did not fit
   */
  async insert(
    tx: NarrowTransaction,
    deliveries: readonly HeldDelivery[],
    events: readonly HeldEvent[],
  ): Promise<number> {
    const [row] = await tx.queryPrepared<{ dropped: number }>(INSERT_HELD_DELIVERIES, [
      tenantsOf(deliveries),
      deliveries.map(({ id }) => id),
      subscriptionsOf(deliveries),
      deliveries.map(({ eventId }) => eventId),
      deliveries.map(({ event }) => event),
      deliveries.map(({ url }) => url),
      this.config.heldPerSubscription,
      tenantsOf(events),
      events.map(({ eventId }) => eventId),
      events.map(({ event }) => event),
      events.map(({ body }) => body),
      deliveries.map(({ app }) => app?.key ?? null),
      deliveries.map(({ app }) => app?.installationId ?? null),
      deliveries.map(({ place }) => place?.recordId ?? null),
      deliveries.map(({ place }) => place?.recordVersion ?? null),
    ]);
    return row?.dropped ?? 0;
  }

  /** @returns those that are held now; the others were no longer claimed by this process. Their holds are locked. */
  holdClaimed(tx: NarrowTransaction, deliveries: readonly ClaimedHeldDelivery[]): Promise<{ id: string }[]> {
    const ids = deliveries.map(({ deliveryId }) => deliveryId).sort();
    return tx.queryPrepared<{ id: string }>(HOLD_CLAIMED_DELIVERIES, [
      tenantsOf(deliveries),
      deliveries.map(({ deliveryId }) => deliveryId),
      deliveries.map(({ claim }) => claim),
      ids[0],
      ids.at(-1),
    ]);
  }

  /**
   * Holds some of what is due of a subscription and that nobody has claimed; its hold is locked.
   * @returns how many
   */
  async holdDue(tx: NarrowTransaction, { tenantId, subscriptionId }: HoldKey, limit: number): Promise<number> {
    const [row] = await tx.query<{ count: number }>(HOLD_DUE_DELIVERIES, [tenantId, subscriptionId, limit]);
    return row?.count ?? 0;
  }

  /** Counts again what is held, from the ledger; the holds are locked. Does not wait for the server. */
  recount(tx: TenantTransaction | NarrowTransaction, holds: readonly HoldKey[]): void {
    tx.issue(RECOUNT_HOLDS, [tenantsOf(holds), subscriptionsOf(holds)]);
  }

  /**
   * Begins to hold, in the transaction that pauses or disables the subscription.
   * @returns what it holds already
   */
  async open(tx: TenantTransaction, subscriptionId: string): Promise<Hold> {
    tx.issue(OPEN_HOLD, [tx.tenantId, subscriptionId]);
    this.recount(tx, [{ tenantId: tx.tenantId, subscriptionId }]);
    return (await this.list(tx, [subscriptionId])).get(subscriptionId) ?? NOTHING_HELD;
  }

  /** By subscription; those that were never paused or disabled are missing. */
  async list(tx: TenantTransaction, subscriptionIds: readonly string[]): Promise<ReadonlyMap<string, Hold>> {
    const rows = await tx.query<Hold & { subscriptionId: string }>(LIST_HOLDS, [tx.tenantId, subscriptionIds]);
    return new Map(rows.map(({ subscriptionId, held, dropped }) => [subscriptionId, { held, dropped }]));
  }

  /** Counts deliveries that are no longer held; the hold is locked. Does not wait for the server. */
  reduce(tx: TenantTransaction, subscriptionId: string, count: number): void {
    tx.issue(REDUCE_HOLD, [tx.tenantId, subscriptionId, count]);
  }

  /** What these subscriptions hold is ended soon, because they are deleted in this transaction. */
  discard(tx: TenantTransaction, subscriptionIds: readonly string[]): void {
    if (subscriptionIds.length > 0) tx.issue(DISCARD_HOLDS, [tx.tenantId, subscriptionIds]);
  }

  /** In order, those after `last`. */
  listCounting(tx: NarrowTransaction, last: HoldKey, limit: number): Promise<HoldKey[]> {
    return tx.query<HoldKey>(LIST_COUNTING_HOLDS, [last.tenantId, last.subscriptionId, limit]);
  }

  listDiscarded(tx: NarrowTransaction, limit: number): Promise<HoldKey[]> {
    return tx.query<HoldKey>(LIST_DISCARDED_HOLDS, [limit]);
  }

  /**
   * Ends some of what a deleted subscription held.
   * @returns how many
   */
  async discardSome(tx: NarrowTransaction, { tenantId, subscriptionId }: HoldKey, limit: number): Promise<number> {
    return (await tx.query(DISCARD_HELD_DELIVERIES, [tenantId, subscriptionId, limit])).length;
  }

  delete(tx: NarrowTransaction, { tenantId, subscriptionId }: HoldKey): void {
    tx.issue(DELETE_HOLD, [tenantId, subscriptionId]);
  }
}
