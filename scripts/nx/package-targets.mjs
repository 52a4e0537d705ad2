import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { inRoot } from '../root.mjs';

/** A plug-in of nx: gives every app and library the targets `build`, `lint` and `test`.
 * @type {import('nx/src/devkit-exports').CreateNodes} */
export const createNodes = [
  '{apps,libs}/*/package.json',
  (files) =>
    files.map((file) => [
      file,
      { projects: { [path.posix.dirname(file)]: { targets: targetsOf(path.posix.dirname(file)) } } },
    ]),
];

/** @param {string} folder of the package, from the root of the repository */
function targetsOf(folder) {
  const kind = buildOf(folder);
  return {
    ...(kind && { build: { executor: './scripts/nx:build', options: { kind } } }),
    lint: { command: `biome check --error-on-warnings ${folder}`, cache: true, inputs: ['everything', 'linted'] },
    test: {
      command: `node scripts/test.mjs ${folder}`,
      cache: true,
      inputs: ['everything', '^sources', 'tested'],
      // Each run builds what it needs and starts servers of its own; two of them would build at the same time.
      parallelism: false,
    },
  };
}

/** @param {string} folder @returns {import('./build.mjs').Kind | undefined} undefined for what runs from its sources */
function buildOf(folder) {
  if (existsSync(inRoot(folder, 'src', 'index.html'))) return 'page';
  if (folder.startsWith('apps/')) return 'program';
  return readFileSync(inRoot(folder, 'package.json'), 'utf8').includes('"./dist/') ? 'library' : undefined;
}
