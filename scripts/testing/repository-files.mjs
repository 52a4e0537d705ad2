import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { inRoot, ROOT } from '../root.mjs';

/** Folders made by a build, a run, or an installation. */
const MADE = new Set([
  ...['.cache', '.data', '.git', '.nx', 'coverage', 'dist'],
  ...['generated', 'node_modules', 'reference', 'tmp'],
]);

/** @returns {string[]} the files of the repository, from its root; in a copy without git's data, those that nothing has made */
export function repositoryFiles() {
  const { status, stdout } = spawnSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' });
  return status === 0 && stdout !== '' ? stdout.split('\0').filter(Boolean) : filesIn('');
}

/** @param {string} folder @returns {string[]} */
function filesIn(folder) {
  return readdirSync(inRoot(folder), { withFileTypes: true }).flatMap((entry) => {
    if (MADE.has(entry.name)) return [];
    return entry.isDirectory() ? filesIn(`${folder}${entry.name}/`) : [`${folder}${entry.name}`];
  });
}
