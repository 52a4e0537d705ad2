import { countDeadLetters, type Database, Sweeper } from '@crm/database';
import { metrics } from '../metrics.js';

const UPKEEP_MS = 600_000;

/** Updates the count of dead letters while the consumers run. */
export class ConsumerUpkeep extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly consumers: readonly string[],
  ) {
    super({ everyMs: UPKEEP_MS, atStart: true });
  }

  async sweep(): Promise<void> {
    for (const consumer of this.consumers) {
      const waiting = await this.database.crossTenant((tx) => countDeadLetters(tx, consumer));
      metrics.deadLettersWaiting.set({ consumer }, waiting);
    }
  }
}
