import { Database } from '@crm/database';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { InstallationSaga, type SagaOutcome } from './installation-saga.js';
import { LeaseLostError, type WorkLease, WorkRepository } from './work.repository.js';

export const WORKER_OPTIONS = Symbol('installation worker options');

export interface WorkerOptions {
  /** Milliseconds between looks for work that another process left behind or put off. */
  readonly pollMs: number;
  /** Installations worked on at the same time on behalf of nobody waiting. */
  readonly concurrency: number;
}

/** Runs sagas: those that a request started, and those that a crash or an absent neighbour left. */
@Injectable()
export class InstallationWorker implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(InstallationWorker.name);
  private readonly stopping = new AbortController();
  private readonly running = new Set<Promise<unknown>>();
  private timer: NodeJS.Timeout | undefined;
  private polling: Promise<void> | undefined;
  private claimed = 0;

  constructor(
    private readonly database: Database,
    private readonly work: WorkRepository,
    private readonly saga: InstallationSaga,
    @Inject(WORKER_OPTIONS) private readonly options: WorkerOptions,
  ) {}

  /** Works on an installation whose lease the caller holds; goes on when the caller stops waiting. */
  start(lease: WorkLease): Promise<SagaOutcome> {
    const run = this.saga.run(lease, this.stopping.signal);
    const settled = run.then(
      () => undefined,
      (error: unknown) => this.report(lease, error),
    );
    this.running.add(settled);
    void settled.finally(() => this.running.delete(settled));
    return run;
  }

  onApplicationBootstrap(): void {
    this.schedule(0);
  }

  /** Stops between two steps and gives the work back, so that the next process need not wait for the lease to run out. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.timer);
    await this.polling;
    await Promise.all(this.running);
  }

  private schedule(delayMs: number): void {
    if (this.stopping.signal.aborted) return;
    this.timer = setTimeout(() => {
      this.polling = this.poll().finally(() => this.schedule(this.options.pollMs));
    }, delayMs);
  }

  private async poll(): Promise<void> {
    const free = this.options.concurrency - this.claimed;
    if (free <= 0) return;
    try {
      const leases = await this.database.crossTenant((tx) => this.work.claim(tx, free));
      for (const lease of leases) this.takeUp(lease);
    } catch (error) {
      this.logger.error({ err: error }, 'Could not look for installations to go on with');
    }
  }

  private takeUp(lease: WorkLease): void {
    this.claimed += 1;
    this.start(lease)
      // `start` has reported it; here only the place becomes free.
      .catch(() => undefined)
      .finally(() => {
        this.claimed -= 1;
      });
  }

  private report(lease: WorkLease, error: unknown): void {
    const fields = { err: error, tenantId: lease.tenantId, installationId: lease.installationId };
    if (error instanceof LeaseLostError) this.logger.warn(fields, 'Another process took the installation over');
    else this.logger.error(fields, 'Work on an installation broke off; it is taken up again when its lease runs out');
  }
}
