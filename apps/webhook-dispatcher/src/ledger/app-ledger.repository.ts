import type { AppDelivery, AppDeliveryAttempt, AttemptPhase, DeliveryStatus } from '@crm/contracts';
import { lowestIdOf, type NarrowTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { COUNT_APP_DELIVERIES, FIND_APP_DELIVERY, LIST_APP_ATTEMPTS, LIST_APP_DELIVERIES } from './app-ledger.sql.js';
import { attemptView } from './delivery.dto.js';
import type { TimeRange } from './time-range.js';

/** Which deliveries of an app; null for any. */
export interface AppDeliveryFilter {
  readonly appKey: string;
  readonly status: DeliveryStatus | null;
  readonly event: string | null;
  /** Of the last attempt. */
  readonly errorCode: string | null;
  /** When the event happened. */
  readonly time: TimeRange;
}

interface DeliveryRow extends Omit<AppDelivery, 'lastError' | 'latencyMs' | 'createdAt' | 'nextAttemptAt'> {
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly httpStatus: number | null;
  readonly latencyMs: number | null;
  readonly createdAt: Date;
  readonly nextAttemptAt: Date | null;
}

interface AttemptRow {
  readonly at: Date;
  readonly httpStatus: number | null;
  readonly errorCode: string | null;
  readonly phase: AttemptPhase | null;
  readonly latencyMs: number;
  readonly responseExcerpt: string | null;
}

/** The ledger of an app over all tenants. Needs transactions that plan statements for their values. */
@Injectable()
export class AppLedgerRepository {
  /**
   * Newest first.
   * @param after id of the last delivery of the page before; null for the first page
   */
  async page(
    tx: NarrowTransaction,
    filter: AppDeliveryFilter,
    { after, limit, offset }: { readonly after: string | null; readonly limit: number; readonly offset: number },
  ): Promise<AppDelivery[]> {
    const rows = await tx.query<DeliveryRow>(LIST_APP_DELIVERIES, [...matching(filter), after, limit, offset]);
    return rows.map(toDelivery);
  }

  /** How many match, counting no further than `limit` when there is one. */
  async count(tx: NarrowTransaction, filter: AppDeliveryFilter, limit: number | null): Promise<number> {
    const [row] = await tx.query<{ count: number }>(COUNT_APP_DELIVERIES, [...matching(filter), limit]);
    return row?.count ?? 0;
  }

  /** @returns null when the app has none */
  async find(tx: NarrowTransaction, appKey: string, id: string): Promise<AppDelivery | null> {
    const [row] = await tx.query<DeliveryRow>(FIND_APP_DELIVERY, [appKey, id]);
    return row ? toDelivery(row) : null;
  }

  /** In the order in which they were made. */
  async listAttempts(tx: NarrowTransaction, appKey: string, id: string): Promise<AppDeliveryAttempt[]> {
    return (await tx.query<AttemptRow>(LIST_APP_ATTEMPTS, [appKey, id])).map(attemptView);
  }
}

/** The app and the filters, as the statements number them. The id of a delivery has the time of its event. */
function matching({ appKey, status, event, errorCode, time }: AppDeliveryFilter): readonly (string | null)[] {
  const [lowest, end] = [time.fromMs, time.toMs].map((ms) => (ms === null ? null : lowestIdOf(ms)));
  return [appKey, status, event, errorCode, lowest ?? null, end ?? null];
}

/** The status of a successful answer is no error's. */
const toDelivery = (row: DeliveryRow): AppDelivery => ({
  id: row.id,
  event: row.event,
  eventId: row.eventId,
  installationId: row.installationId,
  url: row.url,
  status: row.status,
  attempts: row.attempts,
  ...(row.errorCode === null
    ? {}
    : {
        lastError: {
          code: row.errorCode,
          message: row.errorMessage ?? '',
          ...(row.httpStatus === null ? {} : { httpStatus: row.httpStatus }),
        },
      }),
  ...(row.latencyMs === null ? {} : { latencyMs: row.latencyMs }),
  createdAt: row.createdAt.toISOString(),
  ...(row.nextAttemptAt === null ? {} : { nextAttemptAt: row.nextAttemptAt.toISOString() }),
});
