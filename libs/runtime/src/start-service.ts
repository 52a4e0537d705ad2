import { isLoopback } from '@crm/limits';
import type { DynamicModule } from '@nestjs/common';
import type { ServiceConfig } from './configuration/service-config.js';
import { collectStartGarbage, createService, type RunningService } from './create-service.js';
import { createLogger, flushLog } from './observability/logger.js';
import type { ServiceOptions } from './runtime.module.js';

export function explain(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(explain).join('; ');
  if (!(error instanceof Error)) return String(error);
  const { code, address, port } = error as { code?: string; address?: string; port?: number };
  if (code === 'EADDRINUSE') return `the port ${port} on ${address} is in use by another process`;
  if (code === 'EACCES' && port !== undefined) return `this user may not listen on the port ${port}`;
  return error.message || error.name;
}

/** Seconds beyond the drain time after which a hanging shutdown is aborted. */
const SHUTDOWN_GRACE_SECONDS = 10;

/**
 * SIGTERM and SIGINT drain and exit 0, a second one exits at once. A failed start exits 1, and so does an uncaught
 * exception, because the state of the process is then unknown.
 */
export async function startService(
  config: { readonly service: ServiceConfig },
  module: DynamicModule,
  options: ServiceOptions = {},
): Promise<RunningService> {
  const { name, profile, host, drainSeconds } = config.service;
  const logger = createLogger(config.service);
  if (profile === 'development' && !isLoopback(host)) {
    logger.warn({ host }, 'the development profile is reached from other machines: it gets no demo sign-ins');
  }
  const die = (reason: unknown): void => {
    logger.fatal({ err: reason }, 'stopping after a defect that nobody caught');
    process.exit(1);
  };
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);

  let running: RunningService | undefined;
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.info({ signal }, 'draining');
    setTimeout(() => process.exit(1), (drainSeconds + SHUTDOWN_GRACE_SECONDS) * 1000).unref();
    // The first process of a container gets no signal that it does not handle, so they are handled before it is ready.
    (running?.close() ?? Promise.resolve())
      .then(
        () => {
          logger.info('stopped');
          return 0;
        },
        (error: unknown) => {
          logger.error({ err: error }, 'did not stop cleanly');
          return 1;
        },
      )
      .then(async (code) => {
        await flushLog();
        process.exit(code);
      });
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  try {
    running = await createService(config, module, options);
  } catch (error) {
    process.stderr.write(`${name} could not start: ${explain(error)}\n`);
    logger.debug({ err: error }, 'could not start');
    process.exit(1);
  }
  collectStartGarbage();
  return running;
}
