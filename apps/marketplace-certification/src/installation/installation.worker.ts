import { Database } from '@crm/database';
import { type Claimed, type Room, Worker } from '@crm/worker';
import { Inject, Injectable } from '@nestjs/common';
import { InstallationSaga, type SagaOutcome } from './installation-saga.js';
import { LeaseLostError, type WorkLease, WorkRepository } from './work.repository.js';

export const INSTALLATION_WORKER_OPTIONS = Symbol('installation worker options');

export interface InstallationWorkerOptions {
  /** Milliseconds between looks for work that another process left behind or that was postponed. */
  readonly pollMs: number;
  /** Installations worked on at the same time on behalf of nobody waiting. */
  readonly concurrency: number;
}

/**
 * Runs sagas: those that a request started, and those that a crash or an absent neighbour left. At the end of the process
 * they stop between two steps and give the work back, so that the next process need not wait for the lease to run out.
 */
@Injectable()
export class InstallationWorker extends Worker<WorkLease> {
  constructor(
    private readonly database: Database,
    private readonly repository: WorkRepository,
    private readonly saga: InstallationSaga,
    @Inject(INSTALLATION_WORKER_OPTIONS) { concurrency, pollMs }: InstallationWorkerOptions,
  ) {
    super({ places: concurrency, longestPauseMs: pollMs });
  }

  /** Works on an installation whose lease the caller holds; goes on when the caller stops waiting. */
  start(lease: WorkLease): Promise<SagaOutcome> {
    const run = this.saga.run(lease, this.stopping);
    void this.track(this.reported(lease, run));
    return run;
  }

  protected async claim(room: Room): Promise<Claimed<WorkLease>> {
    return { items: await this.database.crossTenant((tx) => this.repository.claim(tx, room)) };
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
      const fields = { err: error, tenantId: lease.tenantId, installationId: lease.installationId };
      if (error instanceof LeaseLostError) this.logger.warn(fields, 'Another process took the installation over');
      else this.logger.error(fields, 'Work on an installation broke off; it is taken up again when its lease runs out');
    }
  }
}
