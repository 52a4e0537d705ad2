import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { run } from '../processes/run.mjs';
import { CACHE_DIR } from '../root.mjs';
import { hasApt } from './debian-packages.mjs';
import { fromDebianPackage, fromRelease, isProgram } from './fetched-program.mjs';

/** Of the long-term support at the time; downloaded where there is neither a promtool nor a Debian package of it. */
const RELEASE = '2.53.4';
/** Debian 12 has 2.42. */
const OLDEST = [2, 42];

/** @type {import('./fetched-program.mjs').FetchedProgram} */
const PROGRAM = {
  name: 'promtool',
  cache: path.join(CACHE_DIR, 'prometheus'),
  debianPackage: 'prometheus',
  suits: isNewEnough,
};

/**
 * @param {string} printed by `promtool --version`, such as `promtool, version 2.42.0+ds (branch: …`
 * @returns {boolean}
 */
export function isNewEnough(printed) {
  const [, major, minor] = /version (\d+)\.(\d+)\.\d+/.exec(printed) ?? [];
  const [needMajor, needMinor] = /** @type {[number, number]} */ (OLDEST);
  return Number(major) > needMajor || (Number(major) === needMajor && Number(minor) >= needMinor);
}

/**
 * Finds or fetches promtool, which checks rules and runs their tests.
 * @returns {Promise<string>} the program to run
 * @throws {PlainError} with what was tried and how to do it by hand
 */
export async function promtoolProgram() {
  const installed = await run('promtool', ['--version']);
  if (installed.code === 0 && isNewEnough(installed.stdout + installed.stderr)) return 'promtool';
  const cached = path.join(PROGRAM.cache, PROGRAM.name);
  if (await isProgram(cached)) return cached;
  /** @type {string[]} */
  const failures = [];
  for (const fetchIt of [
    ...((await hasApt()) ? [() => fromDebianPackage(PROGRAM)] : []),
    () => fromRelease(PROGRAM, release()),
  ]) {
    try {
      await fetchIt();
      return cached;
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new PlainError(
    `There is no promtool (${OLDEST.join('.')} or newer) on this machine, and fetching one failed.\n` +
      `${failures.map((failure) => `  - ${failure.replaceAll('\n', '\n    ')}`).join('\n')}\n` +
      'By hand: install Prometheus so that "promtool --version" works (Debian and Ubuntu: apt install prometheus; macOS:\n' +
      `brew install prometheus), or put the program at ${cached}.`,
  );
}

/** @returns {import('./fetched-program.mjs').Release} */
function release() {
  const processor = process.arch === 'x64' ? 'amd64' : process.arch;
  return {
    base: `https://github.com/prometheus/prometheus/releases/download/v${RELEASE}`,
    asset: `prometheus-${RELEASE}.${process.platform}-${processor}.tar.gz`,
    sums: 'sha256sums.txt',
  };
}
