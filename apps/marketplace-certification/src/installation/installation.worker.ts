import { RevocationSource } from '@crm/access';
import { type Capacity, type Claimed, Database, LOOK_AGAIN_SOON, Worker } from '@crm/database';
import { Inject, Injectable } from '@nestjs/common';
import { MARKETPLACE_CONFIG, type MarketplaceConfig } from '../config.js';
import { InstallationWorkRepository, LeaseLostError, type WorkLease } from './installation.repository.js';
import { InstallationSaga, type SagaOutcome } from './installation.saga.js';

/**
 * Runs sagas: those that a request started, and those that were left unfinished. At the end of the process they stop between
 * two steps and give the work back, so that the next process need not wait until the lease runs out.
 */
@Injectable()
export class InstallationWorker extends Worker<WorkLease> {
  constructor(
    private readonly database: Database,
    private readonly repository: InstallationWorkRepository,
    private readonly saga: InstallationSaga,
    private readonly revocations: RevocationSource,
    @Inject(MARKETPLACE_CONFIG) { installation }: MarketplaceConfig,
  ) {
    super({ slots: installation.concurrency, longestPauseMs: installation.pollMs });
  }

  /** Works on an installation whose lease the caller holds; continues when the caller stops waiting. */
  start(lease: WorkLease): Promise<SagaOutcome> {
    const run = this.saga.run(lease, this.stopping);
    void this.track(this.reported(lease, run));
    return run;
  }

  /** The same where nobody waits for the outcome. */
  startUnattended(lease: WorkLease): void {
    void this.track(this.reported(lease, this.saga.run(lease, this.stopping)));
  }

  protected async claim({ slots, fullTenants }: Capacity): Promise<Claimed<WorkLease>> {
    if (!this.revocations.ready) return LOOK_AGAIN_SOON;
    // The work of a suspended tenant waits until it is reinstated.
    const capacity = { slots, fullTenants: [...fullTenants, ...this.revocations.suspendedTenants()] };
    return { items: await this.database.crossTenant((tx) => this.repository.claim(tx, capacity)) };
  }

  protected async release(leases: readonly WorkLease[]): Promise<void> {
    await this.database.crossTenant((tx) => this.repository.release(tx, leases));
  }

  protected work(lease: WorkLease, stopping: AbortSignal): Promise<void> {
    return this.reported(lease, this.saga.run(lease, stopping));
  }

  private async reported(lease: WorkLease, run: Promise<unknown>): Promise<void> {
    try {
      await run;
    } catch (error) {
      const { tenantId, installationId } = lease;
      const fields = { err: error, tenantId, installationId };
      if (error instanceof LeaseLostError) {
        this.logger.warn({ msg: 'Another process took the installation over and continues it', ...fields });
      } else {
        this.logger.error({ msg: 'Work on an installation failed; it continues when its lease runs out', ...fields });
      }
    }
  }
}
