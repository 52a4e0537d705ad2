import { Sweeper } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { HookCallRepository } from './hook-call.repository.js';

const SWEEP_INTERVAL_MS = 3_600_000;
const SWEEP_BATCH = 1_000;

/** Deletes the keys of hook calls that are no longer recognised. Replicas that do it at once leave each other their rows. */
@Injectable()
export class HookCallKeySweeper extends Sweeper {
  constructor(private readonly calls: HookCallRepository) {
    super({ everyMs: SWEEP_INTERVAL_MS, atStart: true });
  }

  async sweep(stopping: AbortSignal): Promise<void> {
    let deleted = SWEEP_BATCH;
    while (deleted === SWEEP_BATCH && !stopping.aborted) deleted = await this.calls.sweepKeys(SWEEP_BATCH);
  }
}
