import { type BeforeApplicationShutdown, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { jittered } from './backoff.js';
import { pause } from './pause.js';

export interface SweeperOptions {
  /** Milliseconds between the end of a sweep and the next, ±20 % so that replicas do not sweep together. */
  readonly everyMs: number;
  /** Whether the first sweep is at the start; it is after the first interval otherwise. */
  readonly atStart?: boolean;
}

/**
 * Something that is done again and again: one sweep at a time, one that fails is left to the next. It starts and stops
 * with the application; the end waits for the sweep under way, while the database is still there.
 */
export abstract class Sweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  protected readonly logger = new Logger(this.constructor.name);
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: SweeperOptions) {}

  /** @param stopping aborted when the process ends: a long sweep then leaves the rest to the next */
  abstract sweep(stopping: AbortSignal): Promise<void>;

  onApplicationBootstrap(): void {
    this.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }

  /** For an owner that is no application: a provider is started and stopped by Nest. */
  start(): void {
    this.running ??= this.run();
  }

  /** Waits for the sweep under way. */
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
        this.logger.warn({ msg: 'A sweep failed; the next one does its work', err: error });
      }
      await pause(jittered(everyMs), stopping, false);
    }
  }
}
