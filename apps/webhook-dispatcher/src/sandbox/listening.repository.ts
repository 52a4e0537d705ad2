import type { EventName } from '@crm/contracts';
import { Database, lowestIdOf, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** RFC 3339 with microseconds, so that times compare as texts. */
const asText = (time: string): string => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** $1: tenant. */
const FIND_LISTENING_HORIZON = 'SELECT moment, horizon FROM listening_horizon($1)';

/**
 * $1: tenant, $2: subscriptions, $3: lowest id, to exclude partitions, $4, $5: time and id of the last one before, $6: horizon,
 * $7: events; null for any, $8: limit, $9: characters.
 */
export const LIST_LISTENED_DELIVERIES = `
  SELECT id, event, "eventId", "subscriptionId", url, "recordedAt", body, found FROM (
    SELECT d.id, d.event, d.event_id AS "eventId", d.subscription_id AS "subscriptionId", d.url, b.body,
           ${asText('d.created_at')} AS "recordedAt", d.created_at,
           (count(*) OVER ())::int AS found,
           sum(length(b.body)) OVER (ORDER BY d.created_at, d.id) - length(b.body) AS before
      FROM (SELECT * FROM delivery
             WHERE tenant_id = $1 AND subscription_id = ANY ($2::uuid[]) AND id >= $3::uuid
               AND (created_at, id) > ($4::timestamptz, $5::uuid) AND created_at < $6::timestamptz
               AND ($7::text[] IS NULL OR event = ANY ($7))
             ORDER BY created_at, id LIMIT $8) AS d
      JOIN event_body AS b ON b.tenant_id = $1 AND b.id = d.event_id) AS page
   WHERE before < $9
   ORDER BY created_at, id`;

export interface RecordedDelivery {
  readonly id: string;
  readonly event: string;
  readonly eventId: string;
  readonly subscriptionId: string;
  readonly url: string;
  /** Taken from the clock of the database. */
  readonly recordedAt: string;
  readonly body: string;
}

export interface ListeningPosition {
  readonly recordedAt: string;
  readonly id: string;
}

export interface ListeningFilter {
  readonly subscriptionIds: readonly string[];
  readonly events: readonly EventName[] | null;
}

const PAGE = 100;
/** Characters of bodies in a page of several deliveries. */
const PAGE_CHARACTERS = 1024 * 1024;
/** Milliseconds after which a late event is not shown: ids have the times of events, and bound the rows that are read. */
const LATEST_MS = 3_600_000;
const LOWEST_ID = lowestIdOf(0);

@Injectable()
export class ListeningRepository {
  constructor(private readonly database: Database) {}

  async findHorizon(tenantId: string): Promise<{ now: ListeningPosition; horizon: ListeningPosition }> {
    type Row = { moment: string; horizon: string };
    const [row] = await this.database.crossTenantStatement<Row>(FIND_LISTENING_HORIZON, [tenantId]);
    const { moment, horizon } = row as Row;
    return { now: { recordedAt: moment, id: LOWEST_ID }, horizon: { recordedAt: horizon, id: LOWEST_ID } };
  }

  /** @returns also the position after them */
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
