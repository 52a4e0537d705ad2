import { PlainError } from '../plain-error.mjs';

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
