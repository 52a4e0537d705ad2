import type { Database } from '../database.js';
import { Sweeper } from '../worker/sweeper.js';
import { dueWorkMetrics } from './due-work-metrics.js';

const MEASURE_MS = 15_000;

interface MeasuredRow {
  readonly items: number;
  /** Null when nothing is due. */
  readonly oldestSeconds: number | null;
}

/**
 * Measures the work that waits in a table for a `Worker`, for all tenants; a service has a provider of it for each queue. The
 * statement runs as the narrow role and returns one row with `items`, an int, and `oldestSeconds`, a float8. What it reads must
 * not grow with what waits: an index in the order of the due time, and a limit.
 */
export class DueWorkMeter extends Sweeper {
  /**
   * @param queue name of the queue in the metrics
   * @param parameters of the statement, as they are at the time
   */
  constructor(
    private readonly database: Database,
    private readonly queue: string,
    private readonly sql: string,
    private readonly parameters: () => readonly unknown[] = () => [],
  ) {
    super({ everyMs: MEASURE_MS, atStart: true });
  }

  async sweep(): Promise<void> {
    const [row] = await this.database.crossTenantStatement<MeasuredRow>(this.sql, this.parameters());
    dueWorkMetrics.items.set({ queue: this.queue }, row?.items ?? 0);
    dueWorkMetrics.oldest.set({ queue: this.queue }, Math.max(0, row?.oldestSeconds ?? 0));
  }
}

/** Most items that are counted. */
const MOST_COUNTED = 10_000;

/**
 * The statement for a table with the due time in a column that has an index.
 * @param condition which of the due rows nobody is working on, without which it is all
 */
export const measureDueWork = (table: string, dueAt: string, condition = 'true'): string => `
  SELECT count(*)::int AS items, extract(epoch FROM now() - min(due_at))::float8 AS "oldestSeconds"
    FROM (SELECT ${dueAt} AS due_at FROM ${table}
           WHERE ${dueAt} <= now() AND ${condition} ORDER BY ${dueAt} LIMIT ${MOST_COUNTED}) AS due`;
