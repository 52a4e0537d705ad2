import { existsSync } from 'node:fs';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { run } from '../processes/run.mjs';
import { CACHE_DIR } from '../root.mjs';
import { hasApt, unpackDebianPackages } from './debian-packages.mjs';

/** A browser without a window, and what of others it needs and the machine has not; unpacked in some seconds. */
const DEBIAN_PACKAGES = ['chromium-headless-shell', 'fonts-dejavu-core'];
const FOLDER = path.join(CACHE_DIR, 'chromium', 'root');

/** Browsers of the machine, in the order to try. */
const ON_PATH = ['chromium-headless-shell', 'chromium', 'google-chrome', 'google-chrome-stable'];

/**
 * @typedef {object} Browser
 * @property {string} program
 * @property {NodeJS.ProcessEnv} environment added to ours, so that it finds its libraries and fonts
 */

/**
 * Finds or fetches a Chromium for the tests of pages.
 * @returns {Promise<Browser>}
 * @throws {PlainError} with what was tried and how to do it by hand
 */
export async function chromium() {
  const chosen = process.env.CHROMIUM_PROGRAM;
  for (const program of chosen ? [chosen] : ON_PATH) {
    if ((await run(program, ['--version'])).code === 0) return { program, environment: {} };
  }
  const problem = chosen
    ? `CHROMIUM_PROGRAM does not run: ${chosen}`
    : (await hasApt())
      ? await unpack()
      : 'There is no apt-get to fetch it with.';
  if (problem === undefined) return unpackedBrowser();
  throw new PlainError(
    `There is no Chromium for the tests of pages on this machine, and fetching one failed.\n  - ${problem}\n` +
      'By hand: install one (Debian and Ubuntu: apt install chromium-headless-shell; macOS and others: Google Chrome), so that\n' +
      `"${ON_PATH.join('" or "')}" works, or set CHROMIUM_PROGRAM to the program.`,
  );
}

/** @returns {Promise<string | undefined>} what went wrong */
async function unpack() {
  try {
    await unpackDebianPackages(FOLDER, DEBIAN_PACKAGES);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll('\n', '\n    ') : String(error);
  }
}

/**
 * The unpacked program with the variables that make it find what was unpacked beside it.
 * @returns {Promise<Browser>}
 */
async function unpackedBrowser() {
  // What is in usr/bin is a shell script with an absolute path.
  const program = path.join(FOLDER, 'usr', 'lib', 'chromium', 'chromium-headless-shell');
  const libraries = libraryFolders();
  const environment = {
    LD_LIBRARY_PATH: [...libraries, process.env.LD_LIBRARY_PATH].filter(Boolean).join(':'),
    // The machine's fonts, if it has some, else those that were unpacked.
    ...(existsSync('/etc/fonts/fonts.conf')
      ? {}
      : { FONTCONFIG_SYSROOT: FOLDER, FONTCONFIG_PATH: path.join(FOLDER, 'etc', 'fonts') }),
  };
  const started = await run(program, ['--version'], { env: { ...process.env, ...environment } });
  if (started.code !== 0) {
    throw new PlainError(
      `The Chromium unpacked in ${FOLDER} does not start: ${started.stderr.trim() || started.stdout.trim()}\n` +
        'Delete the folder, so that it is fetched again, or install one by hand: apt install chromium-headless-shell',
    );
  }
  return { program, environment };
}

/** @returns {string[]} where Debian puts libraries, for the processor of this machine */
function libraryFolders() {
  /** @type {Partial<Record<NodeJS.Architecture, string>>} */
  const processors = { x64: 'x86_64', arm64: 'aarch64' };
  const triplet = `${processors[process.arch] ?? process.arch}-linux-gnu`;
  const base = path.join(FOLDER, 'usr', 'lib', triplet);
  return [base, path.join(base, 'pulseaudio'), path.join(FOLDER, 'usr', 'lib')];
}
