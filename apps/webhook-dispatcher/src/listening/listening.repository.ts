import type { EventName } from '@crm/contracts';
import { Database, lowestIdOf, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { FIND_LISTENING_HORIZON, LIST_LISTENED_DELIVERIES } from './listening.sql.js';

/** A delivery of the ledger with what it sends. */
export interface RecordedDelivery {
  readonly id: string;
  readonly event: string;
  readonly eventId: string;
  readonly subscriptionId: string;
  readonly url: string;
  /** By the clock of the database. */
  readonly recordedAt: string;
  readonly body: string;
}

/** Up to where a listener has been shown what was recorded. Times compare as texts. */
export interface ListeningPosition {
  readonly recordedAt: string;
  readonly id: string;
}

export interface ListeningFilter {
  readonly subscriptionIds: readonly string[];
  /** Null for any. */
  readonly events: readonly EventName[] | null;
}

/** Deliveries of a page at most. */
const PAGE = 100;
/** Characters of bodies at most, of a page with several deliveries: what the gateway passes on with ease. */
const PAGE_CHARACTERS = 1024 * 1024;
/** An event that comes later than this many milliseconds is not shown: ids are those of events, and bound what is read. */
const LATEST_MS = 3_600_000;
const LOWEST_ID = lowestIdOf(0);

/** Reads the ledger in the order in which it was written. */
@Injectable()
export class ListeningRepository {
  constructor(private readonly database: Database) {}

  /** The position of now, and a horizon a little earlier: before it everything is committed that will be. */
  async findHorizon(): Promise<{ now: ListeningPosition; horizon: ListeningPosition }> {
    const [row] = await this.database.crossTenantStatement<{ now: string; horizon: string }>(
      FIND_LISTENING_HORIZON,
      [],
    );
    const { now, horizon } = row as { now: string; horizon: string };
    return { now: { recordedAt: now, id: LOWEST_ID }, horizon: { recordedAt: horizon, id: LOWEST_ID } };
  }

  /**
   * The deliveries after a position and before a horizon, the first ones when there are many.
   * @returns also the position after them
   */
  async page(
    tx: TenantTransaction,
    { subscriptionIds, events }: ListeningFilter,
    after: ListeningPosition,
    horizon: ListeningPosition,
  ): Promise<{ deliveries: RecordedDelivery[]; end: ListeningPosition }> {
    const lowestId = lowestIdOf(Math.max(0, Date.parse(after.recordedAt) - LATEST_MS));
    const rows = await tx.query<RecordedDelivery & { found: number }>(LIST_LISTENED_DELIVERIES, [
      tx.tenantId,
      subscriptionIds,
      lowestId,
      after.recordedAt,
      after.id,
      horizon.recordedAt,
      events,
      PAGE,
      PAGE_CHARACTERS,
    ]);
    const last = rows.at(-1);
    const isWhole = !last || (rows.length === last.found && rows.length < PAGE);
    return { deliveries: rows.map(({ found: _found, ...row }) => row), end: isWhole ? horizon : last };
  }
}
