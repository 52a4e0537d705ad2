// Puts what each image gets into a folder of its own: node scripts/images/assemble.mjs <folder>
// Runs in the build stage of deploy/Dockerfile, after the build.
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pagesOf } from '../bundle/pages.mjs';
import { PlainError, runCommand } from '../plain-error.mjs';
import { serviceList } from '../platform/services.mjs';
import { inRoot } from '../root.mjs';
import { writeDocuments } from '../supply-chain/bill-of-materials.mjs';
import { copyOutsidePackages } from './outside-packages.mjs';
import { programFiles } from './program-files.mjs';

await runCommand(async () => {
  const [target] = process.argv.slice(2);
  if (!target) throw new PlainError('Give the folder to fill: node scripts/images/assemble.mjs <folder>');
  const { SERVICES } = await serviceList();
  for (const service of SERVICES) await assembleService(service, path.join(target, service));
  await assembleMigrate(SERVICES, path.join(target, 'migrate'));
  for (const app of [...SERVICES, 'migrate']) await writeDocuments(path.join(target, app));
});

/**
 * A service: its programs (main.js, and seed.js or dead-letters.js where it has them), and its pages.
 * @param {string} service
 * @param {string} target
 */
async function assembleService(service, target) {
  const dist = inRoot('apps', service, 'dist');
  const programs = (await readdir(dist)).filter((name) => name.endsWith('.js'));
  if (!programs.includes('main.js')) throw new PlainError(`${service} is not built: there is no ${dist}/main.js`);
  await copyFiles(dist, await programFiles(dist, programs), target);
  await describe(service, target);
  for (const page of pagesOf(service).filter((name) => existsSync(inRoot('apps', name)))) {
    await cp(inRoot('apps', page, 'dist'), path.join(target, 'pages', page), { recursive: true });
  }
}

/**
 * The migration: its program, and the migrations of every service that has some.
 * @param {readonly string[]} services
 * @param {string} target
 */
async function assembleMigrate(services, target) {
  const dist = inRoot('apps', 'migrate', 'dist');
  await copyFiles(dist, await programFiles(dist, ['migrate.js']), target);
  for (const service of services) {
    const bundle = inRoot('apps', service, 'dist');
    const migrations = path.join('migrations', 'index.js');
    if (!existsSync(path.join(bundle, migrations))) continue;
    await copyFiles(bundle, await programFiles(bundle, [migrations]), path.join(target, 'services', service));
  }
  await describe('migrate', target);
}

/**
 * Adds the packages that are not in the bundle, a package.json that names them, and the licence.
 * @param {string} app
 * @param {string} target
 */
async function describe(app, target) {
  const dependencies = await copyOutsidePackages(inRoot('apps', app), path.join(target, 'node_modules'));
  const { name, version, license, description } = JSON.parse(
    await readFile(inRoot('apps', app, 'package.json'), 'utf8'),
  );
  const manifest = { name, version, private: true, license, description, type: 'module', dependencies };
  await writeFile(path.join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await cp(inRoot('LICENSE'), path.join(target, 'LICENSE'));
}

/**
 * @param {string} source
 * @param {readonly string[]} files below it
 * @param {string} target
 */
async function copyFiles(source, files, target) {
  for (const file of files) {
    await mkdir(path.dirname(path.join(target, file)), { recursive: true });
    await cp(path.join(source, file), path.join(target, file));
  }
}
