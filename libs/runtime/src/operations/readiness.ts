import { RevocationSource } from '@crm/access';
import { type INestApplicationContext, Logger } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';

/** Milliseconds a check may take before it counts as failed. */
const CHECK_TIMEOUT_MS = 2000;

export interface ReadinessReport {
  readonly status: 'ready' | 'unavailable';
  readonly checks: Readonly<Record<string, { readonly status: 'ok' | 'failed'; readonly ms: number }>>;
}

type Check = () => Promise<void>;

/**
 * Ready: the own database answers, and the first snapshot of cut-offs has arrived. A provider takes part by `ping(): Promise<void>`,
 * asked on each request. The broker does not: without it records are read and written, and every process would be taken out at once.
 */
export class Readiness {
  private readonly logger = new Logger('Readiness');
  private readonly checks: ReadonlyMap<string, Check>;
  /** Checks that failed last time; only a change is logged. */
  private readonly failing = new Set<string>();
  private accepting = false;

  constructor(app: INestApplicationContext, revocations: () => RevocationSource | undefined) {
    const checks = new Map<string, Check>();
    for (const module of app.get(ModulesContainer, { strict: false }).values()) {
      for (const { instance } of module.providers.values()) {
        const { ping } = Object(instance) as { ping?: unknown };
        if (typeof ping === 'function')
          checks.set((instance as object).constructor.name, () => ping.call(instance) as Promise<void>);
      }
    }
    checks.set('Revocations', async () => {
      const source = revocations();
      if (source && !source.ready) throw new Error('The first snapshot of cut-offs has not arrived');
    });
    this.checks = checks;
  }

  /** Called when the server starts to listen and when it starts to drain. */
  setAccepting(accepting: boolean): void {
    this.accepting = accepting;
  }

  get isAccepting(): boolean {
    return this.accepting;
  }

  async report(): Promise<ReadinessReport> {
    const results = await Promise.all(
      [...this.checks].map(async ([name, check]) => [name, await this.run(name, check)] as const),
    );
    const ready = this.accepting && results.every(([, { status }]) => status === 'ok');
    return { status: ready ? 'ready' : 'unavailable', checks: Object.fromEntries(results) };
  }

  private async run(name: string, check: Check): Promise<{ status: 'ok' | 'failed'; ms: number }> {
    const started = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`No answer within ${CHECK_TIMEOUT_MS} ms`)), CHECK_TIMEOUT_MS);
    });
    try {
      await Promise.race([check(), timeout]);
      if (this.failing.delete(name)) this.logger.log({ msg: `${name} is ready again` });
      return { status: 'ok', ms: Math.round(performance.now() - started) };
    } catch (error) {
      if (!this.failing.has(name)) this.logger.warn({ msg: `${name} is not ready`, err: error });
      this.failing.add(name);
      return { status: 'failed', ms: Math.round(performance.now() - started) };
    } finally {
      clearTimeout(timer);
    }
  }
}
