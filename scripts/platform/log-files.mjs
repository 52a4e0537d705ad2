import { rename } from 'node:fs/promises';

/** `identity.log` becomes `identity.log.1`: a start begins a new one, and that of the start before stays. @param {string} file */
export const rotateLog = (file) =>
  rename(file, `${file}.1`).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });

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
