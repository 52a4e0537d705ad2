// Finds folders that import each other in a circle: node scripts/folder-circles.mjs. Exits 1 if there is one.
// A folder is the directory of a source file. One inside another is a part of it, so that these two may import each
// other. The check between files (import-rules.mjs) sees none of this: each circle here is made of several files.
import { pathToFileURL } from 'node:url';
import { PlainError, runCommand } from './plain-error.mjs';
import { lastLines, run } from './processes/run.mjs';
import { inRoot, ROOT } from './root.mjs';

/**
 * What dependency-cruiser finds, as far as it is used here.
 * @typedef {object} Report
 * @property {{ violations: { cycle?: { name: string }[] }[] }} summary
 * @property {{ source: string, dependencies: { resolved: string }[] }[]} modules
 */

/**
 * @typedef {object} Circle
 * @property {string[]} folders each imports the next one, the last one the first
 * @property {string[]} imports `file → file` for every import that closes the circle
 */

/**
 * @param {Report} report
 * @returns {Circle[]} each circle once, whichever folder it was found from
 */
export function circlesOf({ summary, modules }) {
  /** @type {Map<string, Circle>} */
  const found = new Map();
  for (const { cycle } of summary.violations) {
    const folders = (cycle ?? []).map(({ name }) => name);
    const key = [...folders].sort().join(' ');
    if (found.has(key)) continue;
    const imports = folders.flatMap((folder, index) =>
      importsBetween(modules, folder, /** @type {string} */ (folders[(index + 1) % folders.length])),
    );
    found.set(key, { folders, imports });
  }
  return [...found.values()];
}

/**
 * @param {Report['modules']} modules
 * @param {string} from folder
 * @param {string} to folder
 */
const importsBetween = (modules, from, to) =>
  modules
    .filter(({ source }) => source.startsWith(`${from}/`))
    .flatMap(({ source, dependencies }) =>
      dependencies
        .filter(({ resolved }) => resolved.slice(0, resolved.lastIndexOf('/')) === to)
        .map(({ resolved }) => `${source} → ${resolved}`),
    );

/**
 * @param {Circle} circle
 * @returns {string} the circle and the imports that close it, for people
 */
export const describeCircle = ({ folders, imports }) =>
  [[...folders, folders[0]].join(' → '), ...imports].join('\n    ');

/**
 * @param {string} root of a repository
 * @param {readonly string[]} folders
 * @returns {Promise<Circle[]>}
 * @throws {PlainError} when the imports cannot be read
 */
export async function findCircles(root, folders) {
  const program = inRoot('node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs');
  const config = inRoot('.dependency-cruiser.folders.cjs');
  const outcome = await run(
    process.execPath,
    [
      '--require',
      inRoot('scripts', 'swc-reads-tsx.cjs'),
      program,
      '--config',
      config,
      '--output-type',
      'json',
      ...folders,
    ],
    {
      cwd: root,
    },
  );
  // With this output it ends with 0 whatever it finds.
  if (outcome.code !== 0) throw new PlainError(`The imports could not be read:\n${lastLines(outcome.stderr, 10)}`);
  return circlesOf(JSON.parse(outcome.stdout));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await runCommand(async () => {
    const circles = await findCircles(ROOT, ['apps', 'libs', 'e2e', 'bench', 'scripts']);
    for (const circle of circles) process.stdout.write(`${describeCircle(circle)}\n`);
    process.stdout.write(`${circles.length} circles between folders\n`);
    return circles.length === 0 ? 0 : 1;
  });
}
