/** A failure that the person at the keyboard can understand and act on: printed as its message alone, without a stack.
 * Say what could not be done and how to do it by hand. */
export class PlainError extends Error {
  /** @param {string} message @param {{ cause?: unknown }} [options] */
  constructor(message, options) {
    super(message, options);
    this.name = 'PlainError';
  }
}

/** The oldest Node that runs the platform, as in `engines` of package.json. */
const OLDEST = /** @type {const} */ ([20, 19]);

/** @param {string} version such as `20.19.0` @throws {PlainError} when it is too old */
export function requireNodeVersion(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  throw new PlainError(
    `This is Node ${version}; the platform needs ${OLDEST.join('.')} or newer.\n` +
      'By hand: install a current Node (https://nodejs.org/en/download) and run the command again.',
  );
}

/** Runs the body of a command and turns a failure into an exit code.
 * @param {() => Promise<number | void>} body resolves with the exit code (default 0) */
export async function runCommand(body) {
  try {
    requireNodeVersion();
    process.exitCode = (await body()) ?? 0;
  } catch (error) {
    process.exitCode = 1;
    if (error instanceof PlainError) process.stderr.write(`\n${error.message}\n`);
    else process.stderr.write(`\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  }
}
