import { type NarrowTransaction, PartitionUpkeep } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { RunQueueRepository } from './run-queue.repository.js';

const DAY_MS = 86_400_000;

/** Keeps a day's partitions while its runs are queued: a workflow may wait longer than runs are kept. */
@Injectable()
export class RunRetention {
  constructor(
    upkeep: PartitionUpkeep,
    private readonly queue: RunQueueRepository,
  ) {
    for (const table of ['run', 'run_step']) upkeep.dropOnlyIf(table, (tx, day) => this.isOver(tx, day));
  }

  private async isOver(tx: NarrowTransaction, day: string): Promise<boolean> {
    const from = Date.parse(day);
    return !(await this.queue.hasRunsOf(tx, from, from + DAY_MS));
  }
}
