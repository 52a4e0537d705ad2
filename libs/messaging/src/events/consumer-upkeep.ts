import { countDeadLetters, type Database, sweepInbox } from '@crm/database';
import { Sweeper } from '@crm/worker';
import { metrics } from '../metrics.js';

const UPKEEP_MS = 600_000;
const SWEEP_BATCH = 1_000;
/** Longer than the stream (7 days) and the published outbox rows (7 days) together: no event is delivered again after that. */
const INBOX_KEEP_SECONDS = 15 * 24 * 3600;

/** Deletes old inbox rows and updates the count of dead letters while the consumers run. */
export class ConsumerUpkeep extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly consumers: readonly string[],
  ) {
    super({ everyMs: UPKEEP_MS, atStart: true });
  }

  async sweep(stopping: AbortSignal): Promise<void> {
    for (const consumer of this.consumers) {
      const waiting = await this.database.crossTenant((tx) => countDeadLetters(tx, consumer));
      metrics.deadLettersWaiting.set({ consumer }, waiting);
    }
    let deleted = SWEEP_BATCH;
    while (deleted === SWEEP_BATCH && !stopping.aborted) {
      deleted = await this.database.crossTenant((tx) => sweepInbox(tx, INBOX_KEEP_SECONDS, SWEEP_BATCH));
    }
  }
}
