// npm run imports [-- <folder> …]: who may import what (.dependency-cruiser.cjs), and folders that import each other in a circle
// (.dependency-cruiser.folders.cjs, without tests). Exits 1 if a rule is broken.
import { runCommand } from './plain-error.mjs';
import { runInForeground } from './processes/run.mjs';
import { inRoot } from './root.mjs';

const FOLDERS = ['apps', 'libs', 'e2e', 'bench'];

const cruise = (/** @type {string} */ config, /** @type {readonly string[]} */ folders) =>
  runInForeground(process.execPath, [
    '--require',
    inRoot('scripts', 'swc-reads-tsx.cjs'),
    inRoot('node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs'),
    '--config',
    inRoot(config),
    ...folders,
  ]);

await runCommand(async () => {
  const given = process.argv.slice(2);
  const broken = await cruise('.dependency-cruiser.cjs', given.length > 0 ? given : [...FOLDERS, 'examples']);
  const circles = await cruise('.dependency-cruiser.folders.cjs', given.length > 0 ? given : [...FOLDERS, 'scripts']);
  return broken + circles > 0 ? 1 : 0;
});
