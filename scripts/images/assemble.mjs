// Puts everything that the image has in /app into a folder: node scripts/images/assemble.mjs <folder>
// Runs in the build stage of deploy/Dockerfile, after the build.
import { existsSync } from 'node:fs';
import { cp, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { OUTSIDE } from '../bundle/outside.mjs';
import { PlainError, runCommand } from '../plain-error.mjs';
import { serviceList } from '../platform/services.mjs';
import { inRoot } from '../root.mjs';
import { writeDocuments } from '../supply-chain/bill-of-materials.mjs';

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
  await writeDocuments(target);
});

/** @param {string} app @param {string} target */
async function copyBuild(app, target) {
  const dist = inRoot('apps', app, 'dist');
  if (!existsSync(dist)) throw new PlainError(`${app} is not built: there is no ${dist}`);
  await cp(dist, target, { recursive: true });
}

/** Copies a package that cannot be bundled, and the part of it that was compiled for this kind of machine.
 * @param {string} source @param {RegExp} files those at the top of the package that a running service needs
 * @param {string} target the node_modules to fill @throws {PlainError} when the compiled part is missing */
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
