import { pino } from 'pino';

/**
 * Milliseconds after which a line is on its way out at the latest, so that what `kill -9` takes is less than 100 ms old
 * also where a write takes its time.
 */
const FLUSH_MS = 50;
/** Characters after which buffered lines are written without waiting for the time. */
const BUFFERED = 16 * 1024;
/** Characters of one write; larger than what is buffered, as the destination demands. */
const LARGEST_WRITE = 64 * 1024;
/** Milliseconds that a shutdown waits for a reader of the log who does not read. */
const FLUSH_TIMEOUT_MS = 2000;

/** The standard output of the process as the destination of its log. */
export type LogOutput = ReturnType<typeof pino.destination>;

let output: LogOutput | undefined;

/**
 * Standard output with a buffer: lines leave together, written by a thread, and no request waits for it (decision record
 * 0054). There is one for the process, because two would write into each other's lines. What is buffered when the process
 * exits in whatever orderly way is written then.
 */
export function logOutput(): LogOutput {
  output ??= pino.destination({
    dest: 1,
    sync: false,
    minLength: BUFFERED,
    maxWrite: LARGEST_WRITE,
    periodicFlush: FLUSH_MS,
  });
  return output;
}

/** Resolves when every line that was logged is written, after two seconds at the latest. */
export async function flushLog(): Promise<void> {
  const log = output;
  if (!log) return;
  await new Promise<void>((resolve) => {
    const limit = setTimeout(resolve, FLUSH_TIMEOUT_MS);
    log.flush(() => {
      clearTimeout(limit);
      resolve();
    });
  });
}
