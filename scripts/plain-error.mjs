/** A failure that the person at the keyboard can understand and act on: printed as its message alone, without a stack.
 * Say what could not be done and how to do it by hand. */
export class PlainError extends Error {
  /** @param {string} message @param {{ cause?: unknown }} [options] */
  constructor(message, options) {
    super(message, options);
    this.name = 'PlainError';
  }
}

/** Runs the body of a command and turns a failure into an exit code.
 * @param {() => Promise<number | void>} body resolves with the exit code (default 0) */
export async function runCommand(body) {
  try {
    process.exitCode = (await body()) ?? 0;
  } catch (error) {
    process.exitCode = 1;
    if (error instanceof PlainError) process.stderr.write(`\n${error.message}\n`);
    else process.stderr.write(`\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  }
}
