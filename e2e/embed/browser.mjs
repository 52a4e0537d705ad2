import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { chromium as playwright } from 'playwright-core';
import { PlainError, runCommand } from '../../scripts/plain-error.mjs';
import { run, runOrFail } from '../../scripts/processes/run.mjs';
import { CACHE_DIR, inRoot } from '../../scripts/root.mjs';
import { inWorkFolder, LIBRARIES, unpackDebianPackages } from '../../scripts/servers/debian-packages.mjs';

/** A headless Chromium with its libraries and fonts, compressed. Its program is for Linux on x64. */
const PACKAGE = inRoot('e2e', 'node_modules', '@sparticuz', 'chromium');

/**
 * Starts a Chromium that finds hosts by name on loopback and accepts their certificates: the one that the npm package of the
 * lock file carries, whatever is installed; where it cannot run, the one that Playwright has installed. CHROMIUM_PROGRAM
 * chooses another.
 * @param {Readonly<Record<string, number>>} hosts ports by name
 * @throws {Error} when it does not start
 */
export async function startBrowser(hosts) {
  const rules = Object.entries(hosts).map(([name, port]) => `MAP ${name}:443 127.0.0.1:${port}`);
  const { executablePath, environment } = await browserProgram();
  return playwright.launch({
    executablePath,
    // The language of the machine is not that of the tests.
    env: /** @type {Record<string, string>} */ ({
      ...process.env,
      ...environment,
      LANGUAGE: '',
      LC_ALL: 'en_US.UTF-8',
    }),
    args: [`--host-resolver-rules=${rules.join(', ')}`, '--ignore-certificate-errors'],
  });
}

/** @returns {Promise<{ executablePath?: string, environment?: NodeJS.ProcessEnv }>} */
async function browserProgram() {
  if (process.env.CHROMIUM_PROGRAM) return { executablePath: process.env.CHROMIUM_PROGRAM };
  if (process.platform !== 'linux' || process.arch !== 'x64') return {};
  const { version } = JSON.parse(await readFile(path.join(PACKAGE, 'package.json'), 'utf8'));
  const folder = path.join(CACHE_DIR, 'chromium', version);
  if (!existsSync(folder)) await unpack(folder);
  return {
    executablePath: path.join(folder, 'chromium'),
    environment: { LD_LIBRARY_PATH: path.join(folder, 'lib'), FONTCONFIG_PATH: folder },
  };
}

/** @param {string} folder appears in one step, so that it is always complete */
async function unpack(folder) {
  await inWorkFolder(path.dirname(folder), async (work) => {
    const ready = path.join(work, 'ready');
    await mkdir(ready);
    const content = async (/** @type {string} */ name) =>
      promisify(brotliDecompress)(await readFile(path.join(PACKAGE, 'bin', name)));
    await writeFile(path.join(ready, 'chromium'), await content('chromium.br'), { mode: 0o755 });
    for (const name of ['al2023.tar', 'fonts.tar', 'swiftshader.tar']) {
      await writeFile(path.join(work, name), await content(`${name}.br`));
      await runOrFail('tar', ['-xf', path.join(work, name), '-C', ready]);
    }
    const fonts = `<dir>${path.join(folder, 'fonts')}</dir><cachedir>${path.join(folder, 'font-cache')}</cachedir>`;
    await writeFile(path.join(ready, 'fonts.conf'), `<fontconfig>${fonts}</fontconfig>\n`);
    await addSqlite(path.join(ready, 'lib'), work);
    // Another process may have been faster.
    await rename(ready, folder).catch((error) => {
      if (error.code !== 'ENOTEMPTY') throw error;
    });
  });
}

/**
 * The carried libraries need SQLite, which the smallest of systems have not.
 * @param {string} libraries folder
 * @param {string} work
 */
async function addSqlite(libraries, work) {
  const linked = await run('ldd', [path.join(libraries, 'libsoftokn3.so')], { env: { LD_LIBRARY_PATH: libraries } });
  if (!linked.stdout.includes('libsqlite3.so.0 => not found')) return;
  const unpacked = path.join(work, 'sqlite');
  await unpackDebianPackages(unpacked, ['libsqlite3-0'], { alone: true });
  await runOrFail('cp', ['-a', `${path.join(unpacked, LIBRARIES)}/.`, libraries]);
}

// By itself it tries whether the browser starts.
if (process.argv[1] === import.meta.filename) {
  void runCommand(async () => {
    const browser = await startBrowser({}).catch((error) => {
      throw new PlainError(error.message);
    });
    await browser.close();
  });
}
