import { Database, Sweeper } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { WorkflowRepository } from './workflow.repository.js';

const SWEEP_INTERVAL_MS = 3_600_000;
const SWEEP_BATCH = 1_000;
/** Longer than the transaction of a run that is being accepted with the definition, and not yet to be seen in the queue. */
const KEPT_SECONDS = 3_600;

/** Deletes replaced definitions whose workflow has no unfinished run. */
@Injectable()
export class DefinitionSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly workflows: WorkflowRepository,
  ) {
    super({ everyMs: SWEEP_INTERVAL_MS, atStart: true });
  }

  async sweep(stopping: AbortSignal): Promise<void> {
    let deleted = SWEEP_BATCH;
    while (deleted === SWEEP_BATCH && !stopping.aborted) {
      deleted = await this.database.crossTenant((tx) => this.workflows.sweepDefinitions(tx, SWEEP_BATCH, KEPT_SECONDS));
    }
  }
}
