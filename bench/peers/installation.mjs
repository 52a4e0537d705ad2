// The peers are measured, not depended on: npm installs them into the cache folder when they are first measured, never
// into node_modules of this repository.
import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../../scripts/plain-error.mjs';
import { lastLines, run } from '../../scripts/processes/run.mjs';
import { CACHE_DIR } from '../../scripts/root.mjs';
import { withoutNpmVariables } from '../../scripts/setup/pnpm.mjs';

/**
 * The newest versions in npm, on 2026-11-22, that say in `engines` that they run on the Node of this repository: Directus
 * needs Node 22 from 11.4 on.
 */
export const VERSIONS = { 'parse-server': '9.10.0', directus: '11.3.5' };

/** Native modules that a peer loads when it starts. Nothing else of its packages may run a script or is compiled. */
const NATIVE = { 'parse-server': [], directus: ['isolated-vm'] };

/** What npm says when it cannot reach the registry. */
const UNREACHABLE = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH)\b/;

/**
 * Installs a peer unless the cache folder holds it. The first time takes minutes, more where a native module is compiled
 * because there is none for this machine to download.
 * @param {keyof typeof VERSIONS} name of its package
 * @returns {Promise<string>} the folder whose node_modules holds it
 * @throws {PlainError} when npm cannot install it
 */
export async function installPeer(name) {
  const version = VERSIONS[name];
  const folder = path.join(CACHE_DIR, 'peers', `${name}-${version}`);
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  if (isThere) return folder;

  process.stderr.write(`Installing ${name} ${version} into ${folder}, which can take some minutes …\n`);
  // Installed beside and renamed, so that an installation that was cut short is never used.
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  await writeFile(path.join(unfinished, 'package.json'), JSON.stringify({ name: 'peer', private: true }));
  const npm = (/** @type {readonly string[]} */ args) =>
    run('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: unfinished,
      env: withoutNpmVariables(process.env),
    });
  const steps = [['install', '--ignore-scripts', '--fetch-retries=1', `${name}@${version}`]];
  if (NATIVE[name].length > 0) steps.push(['rebuild', ...NATIVE[name]]);
  for (const step of steps) {
    const { code, stderr } = await npm(step);
    if (code === 0) continue;
    await rm(unfinished, { recursive: true, force: true });
    throw new PlainError(
      step[0] === 'install' && UNREACHABLE.test(stderr)
        ? `${name} ${version} is not in ${folder}, and the npm registry is not reachable to install it`
        : `npm ${step[0]} failed for ${name} ${version}:\n${lastLines(stderr, 12)}`,
    );
  }
  await rename(unfinished, folder);
  return folder;
}
