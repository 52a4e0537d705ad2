// npm run set-version -- <version>: writes the version of a release into every file that names it (docs/release.md).
import { readFile, writeFile } from 'node:fs/promises';
import { PlainError, runCommand } from './plain-error.mjs';
import { inRoot } from './root.mjs';
import { packageFiles } from './setup/packages.mjs';

/** Files that name the version, beside the package.json of every package. */
const FILES = [
  'deploy/Dockerfile',
  'docker-compose.yml',
  'docs/deployment/images.md',
  'k8s/base/kustomization.yaml',
  'libs/contracts/src/version.ts',
];

/** Without build metadata: a tag of an image cannot hold a plus sign. */
const VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;

await runCommand(async () => {
  const [next = '', ...more] = process.argv.slice(2);
  if (!VERSION.test(next) || more.length > 0) throw new PlainError('npm run set-version -- <version, as 1.2.3>');
  const { version } = JSON.parse(await readFile(inRoot('package.json'), 'utf8'));
  // Examples have versions of their own.
  const packages = (await packageFiles()).filter((file) => !file.startsWith('examples/'));
  const files = ['package.json', ...packages, ...FILES];
  const texts = await Promise.all(files.map((file) => readFile(inRoot(file), 'utf8')));
  const literal = version.replaceAll('.', '\\.');
  // In a package.json its own version alone: a package of others may have the same one.
  const everywhere = new RegExp(`(?<![\\w.])${literal}(?![\\w.])`, 'g');
  const ownLine = new RegExp(`(?<=^  "version": ")${literal}(?=")`, 'm');
  const patternOf = (/** @type {string} */ file) => (file.endsWith('package.json') ? ownLine : everywhere);
  // All or nothing: a file that does not name the version would be left behind by this release and by every later one.
  const without = files.filter((file, index) => texts[index]?.search(patternOf(file)) === -1);
  if (without.length > 0) throw new PlainError(`These do not name the version ${version}: ${without.join(', ')}`);
  for (const [index, file] of files.entries()) {
    await writeFile(inRoot(file), texts[index]?.replace(patternOf(file), next) ?? '');
  }
  process.stdout.write(`${version} became ${next} in ${files.length} files\n`);
});
