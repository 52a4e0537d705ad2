import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PlainError } from '../plain-error.mjs';
import { runOrFail } from '../processes/run.mjs';
import { inWorkFolder } from '../servers/debian-packages.mjs';
import { unpackNpmPackage } from '../servers/programs.mjs';
import { buildTools, DOCKERFILE, IMAGES_CACHE } from './buildah.mjs';

/** What the official images of Node 24 have; the npm package of Node itself has none. */
const NPM_VERSION = '11.21.2';

const MIRROR = 'http://deb.debian.org/debian';

/** Makes stand-ins for the base images, of debootstrap and of the Node of the npm registry, again when this file has
 * changed. @param {import('./buildah.mjs').Buildah} buildah
 * @returns {Promise<{ NODE_IMAGE: string, DEBIAN_IMAGE: string }>} their names @throws {PlainError} when they cannot be
 * made */
export async function localBases(buildah) {
  const dockerfile = await readFile(DOCKERFILE, 'utf8');
  const [, node, suite] = /^ARG NODE_IMAGE=.*:(\d+\.\d+\.\d+)-([a-z]+)-slim\b/m.exec(dockerfile) ?? [];
  if (!node || !suite)
    throw new PlainError('NODE_IMAGE of deploy/Dockerfile must name the versions of Node and Debian');
  const own = await readFile(fileURLToPath(import.meta.url));
  const recipe = createHash('sha256').update(own).digest('hex').slice(0, 8);
  const debianImage = `localhost/crm-base/debian:${suite}-${recipe}`;
  const nodeImage = `localhost/crm-base/node:${node}-${suite}-${recipe}`;
  if (!(await buildah.has(debianImage))) {
    await inWorkFolder(IMAGES_CACHE, async (folder) => {
      const { debootstrap, environment } = await buildTools();
      await runOrFail(debootstrap, ['--variant=minbase', suite, folder, MIRROR], { env: environment });
      for (const list of ['var/cache/apt', 'var/lib/apt/lists']) await rm(path.join(folder, list), { recursive: true });
      await buildah.add('scratch', debianImage, folder, '/');
    });
  }
  if (!(await buildah.has(nodeImage))) {
    await inWorkFolder(IMAGES_CACHE, async (folder) => {
      await unpackNode(node, folder);
      await buildah.add(debianImage, nodeImage, folder, '/usr/local');
    });
  }
  return { NODE_IMAGE: nodeImage, DEBIAN_IMAGE: debianImage };
}

/** Node and npm as the official images have them below /usr/local. @param {string} version @param {string} folder */
async function unpackNode(version, folder) {
  const npm = path.join('lib', 'node_modules', 'npm');
  await inWorkFolder(IMAGES_CACHE, async (unpacked) => {
    await unpackNpmPackage(`node-linux-${process.arch}@${version}`, unpacked);
    for (const file of ['LICENSE', 'bin/node']) await cp(path.join(unpacked, file), path.join(folder, file));
  });
  await mkdir(path.join(folder, npm), { recursive: true });
  await unpackNpmPackage(`npm@${NPM_VERSION}`, path.join(folder, npm));
  for (const name of ['npm', 'npx']) await symlink(`../${npm}/bin/${name}-cli.js`, path.join(folder, 'bin', name));
}
