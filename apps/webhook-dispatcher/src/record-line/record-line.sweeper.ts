import { Database, Sweeper } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { RecordLineRepository } from './record-line.repository.js';
import { RecordLineSignal } from './record-line.signal.js';

const EVERY_MS = 600_000;

/**
 * Repairs lines whose head is no longer due. There are none as long as every statement keeps its promise; one that did not, or
 * a hand in the database, must not let a record's deliveries wait for ever.
 */
@Injectable()
export class RecordLineSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly lines: RecordLineRepository,
    private readonly signal: RecordLineSignal,
  ) {
    super({ everyMs: EVERY_MS, atStart: true });
  }

  async sweep(): Promise<void> {
    const repaired = await this.database.crossTenant((tx) => this.lines.repair(tx));
    if (repaired === 0) return;
    this.logger.warn(`${repaired} deliveries held up those behind them without being due; these go on`);
    this.signal.signal();
  }
}
