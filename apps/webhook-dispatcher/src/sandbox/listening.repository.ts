import type { EventName } from '@crm/contracts';
import { Database, lowestIdOf, type TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';

/** As the database writes times here: RFC 3339 with microseconds, so that they compare as texts. */
const asText = (time: string): string => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/**
 * The time, and where reading what was recorded must end, so that nothing is left behind that a transaction under way has yet to commit:
 * a row has the time at which its transaction began, and all that record do so as this role. A process may have taken that
 * time and not shown it yet, hence the tenth of a second. Whatever runs for over five seconds is not waited for.
 */
export const FIND_LISTENING_HORIZON = `
  SELECT ${asText('now()')} AS now,
         ${asText("greatest(least(min(xact_start), now()) - interval '100 ms', now() - interval '5 s')")} AS horizon
    FROM pg_stat_activity
   -- By ids, so that the view needs no join, whose plan would depend on what else is in the server.
   WHERE datid = (SELECT oid FROM pg_database WHERE datname = current_database())
     AND usesysid = (SELECT oid FROM pg_roles WHERE rolname = current_user) AND pid <> pg_backend_pid()`;

/**
 * Deliveries in the order in which they were recorded, with what they send, until the bodies are longer than allowed
 * together. $1: the tenant, $2: subscriptions, $3: lowest id, by which partitions and most of the
 * index are left out, $4, $5: time and id of the last one before, $6: time at which reading ends, $7: names of events; null for any, $8: limit, $9: characters.
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
      JOIN event_body AS b ON b.tenant_id = d.tenant_id AND b.id = d.event_id) AS page
   WHERE before < $9
   ORDER BY created_at, id`;

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
