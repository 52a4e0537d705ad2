import path from 'node:path';

/**
 * A plug-in of nx (nx.json): gives every app and library the targets `lint` and `test`, so that no package.json has to
 * repeat them. `build` is a script of each package; `typecheck` is a target of the whole repository (project.json).
 * @type {import('nx/src/devkit-exports').CreateNodes}
 */
export const createNodes = [
  '{apps,libs}/*/package.json',
  (files) =>
    files.map((file) => [
      file,
      { projects: { [path.posix.dirname(file)]: { targets: targetsOf(path.posix.dirname(file)) } } },
    ]),
];

/**
 * @param {string} folder of the package, from the root of the repository
 * @returns {Record<string, import('nx/src/devkit-exports').TargetConfiguration>}
 */
const targetsOf = (folder) => ({
  lint: { command: `biome check --error-on-warnings ${folder}`, cache: true, inputs: ['everything', 'linted'] },
  test: {
    command: `node scripts/test.mjs ${folder}`,
    cache: true,
    inputs: ['everything', '^sources', 'tested'],
    // Each run builds what it needs and starts servers of its own; two of them would build at the same time.
    parallelism: false,
  },
});
