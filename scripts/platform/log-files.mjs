import { rename, stat } from 'node:fs/promises';

const LARGEST_LOG_BYTES = 10 * 1024 * 1024;

/** `identity.log` becomes `identity.log.1` when it has grown large. Done when a program starts, never while it writes.
 * @param {string} file @param {number} [largestBytes] */
export async function rotateLog(file, largestBytes = LARGEST_LOG_BYTES) {
  const size = await stat(file).then(
    (entry) => entry.size,
    () => 0,
  );
  if (size >= largestBytes) await rename(file, `${file}.1`);
}

/** A line of a service's log for a reader: the message of a JSON line with its error, any other line as it is.
 * @param {string} line @returns {string} */
export function readableLogLine(line) {
  if (!line.startsWith('{')) return line;
  try {
    const { msg, err, error } = JSON.parse(line);
    const reason = err?.message ?? error?.message;
    if (typeof msg !== 'string') return line;
    return reason && !msg.includes(reason) ? `${msg}: ${reason}` : msg;
  } catch {
    return line;
  }
}
