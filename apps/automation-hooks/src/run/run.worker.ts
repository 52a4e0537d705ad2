import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import { RunExecutor } from './run.executor.js';
import { type Claim, RunQueue } from './run.queue.js';
import { RunSignal } from './run.signal.js';

/**
 * Takes due runs and has them carried out, a bounded number at a time. It looks when it is told of a run, when a slot
 * gets free, and at intervals, which also finds waiting runs and those of workers that died.
 */
@Injectable()
export class RunWorker implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(RunWorker.name);
  private readonly inProgress = new Set<Promise<void>>();
  private timer?: NodeJS.Timeout;
  private looking?: Promise<void>;
  private lookAgain = false;
  private stopped = false;

  constructor(
    private readonly queue: RunQueue,
    private readonly executor: RunExecutor,
    private readonly signal: RunSignal,
    @Inject(AUTOMATIONS_CONFIG) private readonly config: AutomationsConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.signal.onSignal(() => this.wake());
    this.timer = setInterval(() => this.wake(), this.config.runs.pollMs);
    this.wake();
  }

  /** Takes no further run and lets those in progress come to the end of what they are doing. */
  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.looking;
    await Promise.all(this.inProgress);
  }

  private wake(): void {
    if (this.stopped) return;
    if (this.looking) {
      this.lookAgain = true;
      return;
    }
    this.looking = this.look().finally(() => {
      this.looking = undefined;
      if (this.lookAgain) {
        this.lookAgain = false;
        this.wake();
      }
    });
  }

  private async look(): Promise<void> {
    const free = this.config.runs.concurrency - this.inProgress.size;
    if (free <= 0) return;
    try {
      const claims = await this.queue.claim(free, this.config.runs.leaseSeconds);
      for (const claim of claims) this.start(claim);
    } catch (error) {
      this.logger.warn({ msg: 'Due runs could not be looked for; the next look tries again', err: error });
    }
  }

  private start(claim: Claim): void {
    const work = this.executor
      .execute(claim)
      // The lease runs out and the run is taken up again, so nothing is lost.
      .catch((error: unknown) => this.logger.error({ msg: 'A run broke off', runId: claim.runId, err: error }))
      .finally(() => {
        this.inProgress.delete(work);
        this.wake();
      });
    this.inProgress.add(work);
  }
}
