import { Database, Sweeper } from '@crm/database';
import { gauge } from '@crm/telemetry';
import { Injectable } from '@nestjs/common';
import { VERSION_STATUSES } from '../catalogue/version-state.js';
import { MEASURE_SUBMISSIONS } from './review.repository.js';

export const submissionMetrics = {
  items: gauge('submissions', 'Submitted versions by status; each process says so: max, not sum', ['status']),
  oldest: gauge(
    'submission_oldest_seconds',
    'Age of the oldest submitted version in a status: of those in review, how long a developer has waited; max, not sum',
    ['status'],
  ),
};

const MEASURE_MS = 60_000;

@Injectable()
export class SubmissionMeter extends Sweeper {
  constructor(private readonly database: Database) {
    super({ everyMs: MEASURE_MS, atStart: true });
  }

  async sweep(): Promise<void> {
    const rows = await this.database.crossTenantStatement<{ status: string; items: number; oldestSeconds: number }>(
      MEASURE_SUBMISSIONS,
      [],
    );
    const measured = new Map(rows.map((row) => [row.status, row]));
    for (const status of VERSION_STATUSES) {
      const { items = 0, oldestSeconds = 0 } = measured.get(status) ?? {};
      submissionMetrics.items.set({ status }, items);
      submissionMetrics.oldest.set({ status }, Math.max(0, oldestSeconds));
    }
  }
}
