// Puts everything that the image has in /app into a folder: node scripts/images/assemble.mjs <folder>
// Runs in the build stage of deploy/Dockerfile, after the build.
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { OUTSIDE } from '../bundle/outside.mjs';
import { PlainError, runCommand } from '../plain-error.mjs';
import { serviceList } from '../platform/services.mjs';
import { runOrFail } from '../processes/run.mjs';
import { inRoot, ROOT } from '../root.mjs';
import { pnpmProgram } from '../setup/pnpm.mjs';

/** Files in which packages keep their licence, and what Apache-2.0 asks to be passed on. */
const LEGAL = /^(licen[cs]e|copying|notice)([-._].*)?$/i;

await runCommand(async () => {
  const [target] = process.argv.slice(2);
  if (!target) throw new PlainError('Give the folder to fill: node scripts/images/assemble.mjs <folder>');
  const { SERVICES } = await serviceList();
  const programs = [...SERVICES, 'migrate'];
  for (const app of programs) await copyBuild(app, path.join(target, app));
  // The pages that edges serve.
  for (const app of await readdir(inRoot('apps'))) {
    if (existsSync(inRoot('apps', app, 'src', 'index.html'))) await copyBuild(app, path.join(target, 'pages', app));
  }
  for (const [name, { files }] of Object.entries(OUTSIDE)) {
    const link = programs.map((app) => inRoot('apps', app, 'node_modules', name)).find((folder) => existsSync(folder));
    if (!link) throw new PlainError(`${name} is not installed`);
    await copyOutsidePackage(await realpath(link), files, path.join(target, 'node_modules'));
  }
  const { version, license } = JSON.parse(await readFile(inRoot('package.json'), 'utf8'));
  await writeFile(
    path.join(target, 'package.json'),
    JSON.stringify({ name: '@crm/platform', version, license, type: 'module' }),
  );
  await cp(inRoot('LICENSE'), path.join(target, 'LICENSE'));
  await cp(inRoot('deploy', 'healthcheck.mjs'), path.join(target, 'healthcheck.mjs'));
  await addDocuments(target);
});

/**
 * @param {string} app
 * @param {string} target
 */
async function copyBuild(app, target) {
  const dist = inRoot('apps', app, 'dist');
  if (!existsSync(dist)) throw new PlainError(`${app} is not built: there is no ${dist}`);
  await cp(dist, target, { recursive: true, filter: (file) => path.basename(file) !== 'contents.json' });
}

/**
 * Copies a package that cannot be bundled, and the part of it that was compiled for this kind of machine.
 * @param {string} source
 * @param {RegExp} files those at the top of the package that a running service needs
 * @param {string} target the node_modules to fill
 * @throws {PlainError} when the compiled part is missing
 */
async function copyOutsidePackage(source, files, target) {
  const { name, optionalDependencies = {} } = JSON.parse(await readFile(path.join(source, 'package.json'), 'utf8'));
  const kept = (await readdir(source)).filter((file) => files.test(file) || LEGAL.test(file));
  for (const file of ['package.json', ...kept]) {
    await cp(path.join(source, file), path.join(target, name, file), { recursive: true });
  }
  // Such parts lie beside the package itself.
  const parts = Object.keys(optionalDependencies).map((part) => path.join(source.slice(0, -name.length), part));
  const installed = parts.filter((part) => existsSync(part));
  if (parts.length > 0 && installed.length === 0) throw new PlainError(`${name} has no compiled part for this machine`);
  for (const part of installed) await copyOutsidePackage(part, files, target);
}

/**
 * Adds the licence texts of the work of others, and the bill of materials: bundles have no comments.
 * @param {string} target
 */
async function addDocuments(target) {
  const pnpm = await pnpmProgram();
  const shipped = ['--prod', '--filter', './apps/*'];
  const bill = [
    '--sbom-format',
    'cyclonedx',
    '--sbom-type',
    'application',
    '--out',
    path.join(target, 'sbom.cdx.json'),
  ];
  await runOrFail(pnpm, ['sbom', ...shipped, ...bill], { cwd: ROOT });
  /** @type {Record<string, { name: string, versions: string[], paths: string[], license: string, author?: string }[]>} */
  const licences = JSON.parse(await runOrFail(pnpm, ['licenses', 'list', '--json', ...shipped], { cwd: ROOT }));
  const notices = await Promise.all(
    Object.values(licences)
      .flat()
      .sort((left, right) => (left.name < right.name ? -1 : 1))
      .map(async ({ name, versions, paths, license, author = 'its authors' }) => {
        const folder = paths[0] ?? '';
        const files = (await readdir(folder)).filter((file) => LEGAL.test(file));
        const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
        const body = texts.map((text) => text.trim()).join('\n\n') || `Copyright ${author}`;
        return `${name} ${versions.join(', ')} (${license})\n\n${body}\n`;
      }),
  );
  await writeFile(path.join(target, 'NOTICES.txt'), notices.join(`\n${'-'.repeat(80)}\n\n`));
}
