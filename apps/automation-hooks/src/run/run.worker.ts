import { TenantShares } from '@crm/worker';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import { RunExecutor } from './run.executor.js';
import { type Claim, RunQueue } from './run.queue.js';
import { RunSignal } from './run.signal.js';

/**
 * Takes due runs and has them carried out, a bounded number at a time and a share of it for each tenant. It looks when it is told of a run, when a slot
 * gets free, and at intervals, which also finds waiting runs and those of workers that died.
 */
@Injectable()
export class RunWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(RunWorker.name);
  private readonly inProgress = new Set<Promise<void>>();
  private timer?: NodeJS.Timeout;
  private looking?: Promise<void>;
  private lookAgain = false;
  private readonly stopping = new AbortController();
  private readonly shares: TenantShares;

  constructor(
    private readonly queue: RunQueue,
    private readonly executor: RunExecutor,
    private readonly signal: RunSignal,
    @Inject(AUTOMATIONS_CONFIG) private readonly config: AutomationsConfig,
  ) {
    this.shares = new TenantShares(config.runs.concurrency);
  }

  onApplicationBootstrap(): void {
    this.signal.onSignal(() => this.wake());
    this.timer = setInterval(() => this.wake(), this.config.runs.pollMs);
    this.wake();
  }

  /** Takes no further run; those in progress finish their step, while their neighbours can still be called. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.timer);
    await this.looking;
    await Promise.all(this.inProgress);
  }

  private wake(): void {
    if (this.stopping.signal.aborted) return;
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
    try {
      // What one tenant has too many of is given back; whoever is behind it in the line is found by the next turn.
      for (let surplus = true; surplus && this.shares.free > 0; ) surplus = await this.takeOn();
    } catch (error) {
      this.logger.warn({ msg: 'Due runs could not be looked for; the next look tries again', err: error });
    }
  }

  /** @returns whether there was more than tenants may have under way */
  private async takeOn(): Promise<boolean> {
    const { leaseSeconds } = this.config.runs;
    const claims = await this.queue.claim(this.shares.free, leaseSeconds, this.shares.full());
    const surplus = claims.filter((claim) => !this.start(claim));
    if (surplus.length > 0) await this.queue.release(surplus);
    return surplus.length > 0;
  }

  /** @returns false when the tenant has its share under way already */
  private start(claim: Claim): boolean {
    if (!this.shares.mayBegin(claim.tenantId)) return false;
    this.shares.begun(claim.tenantId);
    const work = this.executor
      .execute(claim, this.stopping.signal)
      // The lease runs out and the run is taken up again, so nothing is lost.
      .catch((error: unknown) => this.logger.error({ msg: 'A run broke off', runId: claim.runId, err: error }))
      .finally(() => {
        this.inProgress.delete(work);
        this.shares.ended(claim.tenantId);
        this.wake();
      });
    this.inProgress.add(work);
    return true;
  }
}
