import { Logger } from '@nestjs/common';
import type { DiagLogger } from '@opentelemetry/api';

/** A receiver that is away fails every export: one line in this time says so. */
const QUIET_MS = 60_000;
/** Characters of what the SDK reports; it prints errors with stacks and answers. */
const MAX_LENGTH = 300;

/** What the SDK reports, in the log of the service: lost spans and failed exports, not everything each time. */
export function exportLog(logger: Pick<Logger, 'warn'> = new Logger('Tracing'), now = Date.now): DiagLogger {
  let quietUntil = Number.NEGATIVE_INFINITY;
  let suppressed = 0;
  const report = (message: string, ...rest: unknown[]): void => {
    if (now() < quietUntil) {
      suppressed += 1;
      return;
    }
    quietUntil = now() + QUIET_MS;
    const reason = [messageIn(message), ...rest.map(textOf)].join(': ').slice(0, MAX_LENGTH);
    logger.warn({ msg: 'Spans were lost; recording goes on', reason, ...(suppressed > 0 && { suppressed }) });
    suppressed = 0;
  };
  return { error: report, warn: report, info: nothing, debug: nothing, verbose: nothing };
}

/** The SDK reports an error as JSON of its members, with the stack first. */
const messageIn = (report: string): string => /"message":"((?:[^"\\]|\\.)*)"/.exec(report)?.[1] ?? report;

const nothing = (): void => undefined;

const textOf = (value: unknown): string => (value instanceof Error ? value.message : String(value));
