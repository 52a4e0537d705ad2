import { gauge } from '@crm/telemetry';
import type { ReadOfEveryTenant } from '../cluster/every-tenant.js';
import type { Database } from '../database.js';
import { Sweeper } from './sweeper.js';

const dueWorkMetrics = {
  items: gauge(
    'due_work_items',
    'Items of a queue in the database that are due and that no process is working on, counted up to 10,000; each process says so: max, not sum',
    ['queue'],
  ),
  oldest: gauge('due_work_oldest_seconds', 'How long the oldest of them has been due: max, not sum', ['queue']),
};

const MEASURE_MS = 15_000;

interface MeasuredRow {
  readonly items: number;
  readonly oldestSeconds: number | null;
}

/** Measures the work that waits for a `Worker`. The statement must not grow with what waits: index and limit. */
export class DueWorkMeter extends Sweeper {
  /** @param parameters of the statement, as they are at the time */
  constructor(
    private readonly database: Database,
    private readonly queue: string,
    private readonly statement: ReadOfEveryTenant,
    private readonly parameters: () => readonly unknown[] = () => [],
  ) {
    super({ everyMs: MEASURE_MS, atStart: true });
  }

  async sweep(): Promise<void> {
    const rows = await this.database.everyTenant.read<MeasuredRow>(this.statement, this.parameters());
    const items = rows.reduce((sum, row) => sum + row.items, 0);
    dueWorkMetrics.items.set({ queue: this.queue }, items);
    dueWorkMetrics.oldest.set({ queue: this.queue }, Math.max(0, ...rows.map((row) => row.oldestSeconds ?? 0)));
  }
}

const MOST_COUNTED = 10_000;

/** @param condition which of the due rows nobody is working on */
export const measureDueWork =
  (name: string, dueAt: string, condition = 'true'): ReadOfEveryTenant =>
  (table) =>
    `
  SELECT count(*)::int AS items, extract(epoch FROM now() - min(due_at))::float8 AS "oldestSeconds"
    FROM (SELECT ${dueAt} AS due_at FROM ${table(name)}
           WHERE ${dueAt} <= now() AND ${condition} ORDER BY ${dueAt} LIMIT ${MOST_COUNTED}) AS due`;
