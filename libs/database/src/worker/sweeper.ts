import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { jittered, pause } from './backoff.js';

export interface SweeperOptions {
  /** Milliseconds between the end of a sweep and the next, ±20 % so that replicas do not sweep at the same time. */
  readonly everyMs: number;
  /** True: sweeps at the start; otherwise the first sweep is after the first interval. */
  readonly atStart?: boolean;
}

/** A periodic job: one sweep at a time, the next repeats a failed one; shutdown waits while the database is available. */
export abstract class Sweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  protected readonly logger = new Logger(this.constructor.name);
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: SweeperOptions) {}

  /** @param stopping aborted when the process ends: a long sweep should then leave the rest to the next one */
  abstract sweep(stopping: AbortSignal): Promise<void>;

  onApplicationBootstrap(): void {
    this.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }

  /** For use outside Nest, which starts and stops providers itself. */
  start(): void {
    this.running ??= this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { everyMs, atStart = false } = this.options;
    const stopping = this.stopping.signal;
    if (!atStart) await pause(jittered(everyMs), stopping, false);
    while (!stopping.aborted) {
      try {
        await this.sweep(stopping);
      } catch (error) {
        this.logger.warn({ msg: 'A sweep failed; the next sweep tries again', err: error });
      }
      await pause(jittered(everyMs), stopping, false);
    }
  }
}
