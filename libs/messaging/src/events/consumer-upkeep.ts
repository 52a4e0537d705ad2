import { countDeadLetters, type Database, sweepInbox } from '@crm/database';
import { Logger } from '@nestjs/common';
import { metrics } from '../metrics.js';

const UPKEEP_MS = 600_000;
const SWEEP_BATCH = 1_000;
/** Longer than the stream (7 days) and the published outbox rows (7 days) together: no event comes back after that. */
const INBOX_KEEP_SECONDS = 15 * 24 * 3600;

/** Keeps the inbox small and the count of waiting dead letters true, while the consumers run. */
export class ConsumerUpkeep {
  private readonly logger = new Logger('ConsumerUpkeep');
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly consumers: readonly string[],
  ) {}

  start(): void {
    this.round = this.once();
    this.timer = setInterval(() => {
      this.round = this.once();
    }, UPKEEP_MS);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.round;
  }

  private async once(): Promise<void> {
    try {
      for (const consumer of this.consumers) {
        const waiting = await this.database.crossTenant((tx) => countDeadLetters(tx, consumer));
        metrics.deadLettersWaiting.set({ consumer }, waiting);
      }
      let deleted = SWEEP_BATCH;
      while (deleted === SWEEP_BATCH) {
        deleted = await this.database.crossTenant((tx) => sweepInbox(tx, INBOX_KEEP_SECONDS, SWEEP_BATCH));
      }
    } catch (error) {
      this.logger.warn(`Upkeep failed, it is tried again: ${error instanceof Error ? error.message : error}`);
    }
  }
}
