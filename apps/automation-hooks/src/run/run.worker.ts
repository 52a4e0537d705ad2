import { RevocationSource } from '@crm/access';
import { type Claimed, Database, LOOK_AGAIN_SOON, type Room, Worker } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import { RunExecutor } from './run.executor.js';
import { RunSignal } from './run.signal.js';
import { type Claim, RunQueueRepository } from './run-queue.repository.js';

/** Claims due runs and has them executed. At the end of the process those in progress finish their step. */
@Injectable()
export class RunWorker extends Worker<Claim> {
  private readonly leaseSeconds: number;

  constructor(
    private readonly database: Database,
    private readonly queue: RunQueueRepository,
    private readonly executor: RunExecutor,
    private readonly revocations: RevocationSource,
    signal: RunSignal,
    @Inject(AUTOMATIONS_CONFIG) { runs }: AutomationsConfig,
  ) {
    super({ places: runs.concurrency, longestPauseMs: runs.pollMs, wake: signal });
    this.leaseSeconds = runs.leaseSeconds;
  }

  protected async claim({ places, fullTenants }: Room): Promise<Claimed<Claim>> {
    if (!this.revocations.ready) return LOOK_AGAIN_SOON;
    // Runs of a suspended tenant wait until it is reinstated.
    const except = [...fullTenants, ...this.revocations.suspendedTenants()];
    return { items: await this.queue.claim(places, this.leaseSeconds, except) };
  }

  protected release(claims: readonly Claim[]): Promise<void> {
    return this.database.crossTenant((tx) => this.queue.release(tx, claims));
  }

  protected work(claim: Claim, stopping: AbortSignal): Promise<void> {
    return this.executor.execute(claim, stopping);
  }

  protected override describe({ tenantId, runId }: Claim): Record<string, unknown> {
    return { tenantId, runId };
  }
}
