import { pino } from 'pino';

/**
 * Milliseconds after which a buffered line is written at the latest, so that `kill -9` loses less than 100 ms of lines
 * even if a write is slow.
 */
const FLUSH_MS = 50;
/** Number of buffered bytes that causes a write before that time. */
const BUFFERED = 16 * 1024;
/** Maximum bytes of one write; must be larger than the buffer for the destination. */
const LARGEST_WRITE = 64 * 1024;
/** Milliseconds that a shutdown waits for a blocked reader of the log. */
const FLUSH_TIMEOUT_MS = 2000;

/** The standard output of the process as the destination of its log. */
export type LogOutput = ReturnType<typeof pino.destination>;

let output: LogOutput | undefined;

/**
 * Standard output with a buffer: lines are written together by a thread, and no request waits for that (decision record
 * 0054). There is one per process, because two would interleave their lines. Buffered lines are written when the process
 * exits, unless it is killed.
 */
export function logOutput(): LogOutput {
  output ??= openOutput();
  return output;
}

/**
 * The lines wait as bytes. As texts, sonic-boom measures all that waits anew with every line, and that copies it: some
 * 8 KiB for a line of 400 bytes.
 */
function openOutput(): LogOutput {
  const destination = pino.destination({
    dest: 1,
    sync: false,
    minLength: BUFFERED,
    maxWrite: LARGEST_WRITE,
    periodicFlush: FLUSH_MS,
    contentMode: 'buffer',
  });
  const writeBytes = destination.write.bind(destination) as unknown as (bytes: Buffer) => boolean;
  // pino hands over texts.
  destination.write = (line) => writeBytes(Buffer.from(line));
  return destination;
}

/** Resolves when every logged line is written, after two seconds at the latest. */
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
