import { Database, Sweeper } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { VERSION_STATUSES } from '../catalogue/version-state.js';
import { MEASURE_SUBMISSIONS } from './review.repository.js';
import { submissionMetrics } from './submission-metrics.js';

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
