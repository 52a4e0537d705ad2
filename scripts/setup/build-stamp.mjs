import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CACHE_DIR, inRoot } from '../root.mjs';

const STAMP = path.join(CACHE_DIR, 'built');

/** What decides the outcome of every build besides the sources of the packages. */
const SETTINGS = [
  'pnpm-lock.yaml',
  'nx.json',
  '.swcrc',
  'scripts/build-page.mjs',
  'scripts/bundle.mjs',
  'scripts/bundle/left-out.mjs',
  'scripts/bundle/outside.mjs',
  'scripts/bundle/own-source-map.mjs',
];

/**
 * Whether the last complete build was made of what is there now, and its results are still those. nx knows too, but to
 * ask it takes longer than to start a service.
 * @returns {Promise<boolean>}
 */
export async function isBuilt() {
  const stamp = await readFile(STAMP, 'utf8').catch(() => '');
  return stamp !== '' && stamp === (await fingerprint());
}

/** Remembers that everything has just been built. */
export async function rememberBuild() {
  await mkdir(CACHE_DIR, { recursive: true });
  await writeFile(STAMP, await fingerprint());
}

/** @returns {Promise<string>} a hash of all sources, and of when each result was written */
async function fingerprint() {
  const hash = createHash('sha256');
  const packages = [...(await Promise.all(['apps', 'libs'].map(packageFolders))).flat(), 'examples/receivers'];
  const sources = (await Promise.all(packages.map(sourceFiles))).flat();
  for (const file of [...SETTINGS, ...sources]) {
    const content = await readFile(inRoot(file)).catch(() => '');
    hash.update(`${file} ${content.length}\n`).update(content);
  }
  for (const folder of packages) {
    const results = (await readdir(inRoot(folder, 'dist')).catch(() => [])).sort();
    if (results.length === 0) hash.update(`${folder} is not built\n`);
    for (const result of results) {
      const { mtimeMs, size } = await stat(inRoot(folder, 'dist', result));
      hash.update(`${folder}/dist/${result} ${mtimeMs} ${size}\n`);
    }
  }
  return hash.digest('hex');
}

/**
 * @param {string} parent
 * @returns {Promise<string[]>} the packages below it, sorted
 */
async function packageFolders(parent) {
  const entries = await readdir(inRoot(parent), { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${parent}/${entry.name}`)
    .sort();
}

/**
 * @param {string} folder of a package
 * @returns {Promise<string[]>} what its build reads, sorted
 */
async function sourceFiles(folder) {
  const entries = await readdir(inRoot(folder, 'src'), { recursive: true }).catch(() => []);
  const sources = entries.filter((entry) => path.extname(entry) !== '' && !entry.endsWith('.spec.ts')).sort();
  return [`${folder}/package.json`, ...sources.map((entry) => `${folder}/src/${entry}`)];
}
