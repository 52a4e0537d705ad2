import { afterEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Sweeper, type SweeperOptions } from './sweeper.js';

Logger.overrideLogger(false);

const tick = (ms = 5) => new Promise((resolve) => setTimeout(resolve, ms));

class TestSweeper extends Sweeper {
  sweeps = 0;
  constructor(
    options: SweeperOptions,
    private readonly each: (stopping: AbortSignal) => Promise<void> = async () => undefined,
  ) {
    super(options);
  }

  async sweep(stopping: AbortSignal): Promise<void> {
    this.sweeps += 1;
    await this.each(stopping);
  }
}

describe('a sweeper', () => {
  let sweeper: TestSweeper;
  const start = (...args: ConstructorParameters<typeof TestSweeper>) => {
    sweeper = new TestSweeper(...args);
    sweeper.onApplicationBootstrap();
    return sweeper;
  };
  afterEach(() => sweeper.beforeApplicationShutdown());

  it('sweeps at the start only if configured to', async () => {
    start({ everyMs: 60_000 });
    await tick();
    expect(sweeper.sweeps).toBe(0);
    await sweeper.beforeApplicationShutdown();
    start({ everyMs: 60_000, atStart: true });
    await tick();
    expect(sweeper.sweeps).toBe(1);
  });

  it('sweeps again after a failed sweep', async () => {
    start({ everyMs: 5, atStart: true }, () => Promise.reject(new Error('no connection')));
    while (sweeper.sweeps < 3) await tick(5);
    expect(sweeper.sweeps).toBeGreaterThan(2);
  });

  it('runs one sweep at a time, and waits for it at shutdown', async () => {
    let finish: () => void = () => undefined;
    let stoppedBefore: boolean | undefined;
    start({ everyMs: 1, atStart: true }, async (stopping) => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      stoppedBefore = stopping.aborted;
    });
    await tick(20);
    expect(sweeper.sweeps).toBe(1);
    const stopped = sweeper.beforeApplicationShutdown();
    finish();
    await stopped;
    expect(sweeper.sweeps).toBe(1);
    expect(stoppedBefore).toBe(true);
  });
});
