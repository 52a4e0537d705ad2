import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PlainError } from '../plain-error.mjs';
import { runOrFail } from '../processes/run.mjs';
import { inWorkFolder } from '../servers/debian-packages.mjs';
import { withoutNpmVariables } from '../setup/pnpm.mjs';
import { buildTools, IMAGES_CACHE } from './buildah.mjs';

/** What the official images of Node 24 have; the npm package of Node itself has none. */
const NPM_VERSION = '11.21.2';

const MIRROR = 'http://deb.debian.org/debian';

/** What Debian's slim images leave out too; of usr/share/doc, see below. */
const LEFT_OUT = ['usr/share/man', 'usr/share/info', 'usr/share/locale', 'var/cache/apt', 'var/lib/apt/lists'];

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Makes stand-ins for the two base images where no registry is at hand: a minimal Debian by debootstrap, and the same with
 * the Node of the npm registry. They are made once, and again when this file has changed.
 * @param {import('./buildah.mjs').Buildah} buildah
 * @param {string} nodeImage that of the Dockerfile, which says the versions of Node and of Debian
 * @returns {Promise<{ NODE_IMAGE: string, DEBIAN_IMAGE: string }>} their names
 * @throws {PlainError} when they cannot be made
 */
export async function localBases(buildah, nodeImage) {
  const { node, suite } = versionsOf(nodeImage);
  const recipe = createHash('sha256')
    .update(await readFile(fileURLToPath(import.meta.url)))
    .digest('hex')
    .slice(0, 8);
  const names = {
    DEBIAN_IMAGE: `localhost/crm-base/debian:${suite}-${recipe}`,
    NODE_IMAGE: `localhost/crm-base/node:${node}-${suite}-${recipe}`,
  };
  if (!(await buildah.has(names.DEBIAN_IMAGE))) {
    await inWorkFolder(IMAGES_CACHE, async (folder) => {
      await debootstrap(suite, folder);
      await buildah.derive('scratch', names.DEBIAN_IMAGE, async (container) => {
        await buildah.run(['copy', '--quiet', container, folder, '/']);
        await buildah.run(['config', '--env', `PATH=${PATH}`, '--cmd', '["bash"]', container]);
      });
    });
  }
  if (!(await buildah.has(names.NODE_IMAGE))) {
    await inWorkFolder(IMAGES_CACHE, async (folder) => {
      await unpackNode(node, folder);
      await buildah.derive(names.DEBIAN_IMAGE, names.NODE_IMAGE, async (container) => {
        await buildah.run(['copy', '--quiet', container, folder, '/usr/local']);
      });
    });
  }
  return names;
}

/**
 * @param {string} image such as `docker.io/library/node:24.21.0-trixie-slim`, also with a digest
 * @returns {{ node: string, suite: string }}
 * @throws {PlainError} when its tag does not say both versions
 */
export function versionsOf(image) {
  const [, node, suite] = /:(\d+\.\d+\.\d+)-([a-z]+)-slim(?:@|$)/.exec(image) ?? [];
  if (!node || !suite) {
    throw new PlainError(
      `NODE_IMAGE of deploy/Dockerfile must name Node and Debian, as in node:24.21.0-trixie-slim: ${image}`,
    );
  }
  return { node, suite };
}

/**
 * @param {string} suite
 * @param {string} folder to fill
 */
async function debootstrap(suite, folder) {
  const tools = await buildTools();
  await runOrFail(tools.debootstrap, ['--variant=minbase', suite, folder, MIRROR], {
    env: { ...process.env, ...tools.environment },
    failure: 'The base image could not be made with debootstrap',
  });
  for (const unwanted of LEFT_OUT) await emptyFolder(path.join(folder, unwanted), () => true);
  // The licences of Debian's packages go with them; of a package without a folder of its own this is a link to another's.
  const documentation = path.join(folder, 'usr', 'share', 'doc');
  for (const entry of await readdir(documentation, { withFileTypes: true })) {
    if (entry.isDirectory()) await emptyFolder(path.join(documentation, entry.name), (name) => name !== 'copyright');
  }
}

/**
 * @param {string} folder
 * @param {(name: string) => boolean} isUnwanted which of its entries are deleted
 */
async function emptyFolder(folder, isUnwanted) {
  for (const name of (await readdir(folder)).filter(isUnwanted)) {
    await rm(path.join(folder, name), { recursive: true });
  }
}

/**
 * Node and npm as the official images have them below /usr/local.
 * @param {string} version
 * @param {string} folder
 */
async function unpackNode(version, folder) {
  const npm = path.join('lib', 'node_modules', 'npm');
  await inWorkFolder(IMAGES_CACHE, async (packages) => {
    await unpackPackage(`node-linux-${process.arch}@${version}`, path.join(packages, 'node'));
    for (const file of ['LICENSE', 'bin/node']) await cp(path.join(packages, 'node', file), path.join(folder, file));
  });
  await unpackPackage(`npm@${NPM_VERSION}`, path.join(folder, npm));
  for (const name of ['npm', 'npx']) await symlink(`../${npm}/bin/${name}-cli.js`, path.join(folder, 'bin', name));
}

/**
 * Fetches a package from the npm registry, without installing it. npm checks it against the registry's sum.
 * @param {string} spec name and version
 * @param {string} folder to unpack it into
 */
async function unpackPackage(spec, folder) {
  await mkdir(folder, { recursive: true });
  const printed = await runOrFail('npm', ['pack', '--silent', '--pack-destination', folder, spec], {
    cwd: '/',
    env: withoutNpmVariables(process.env),
  });
  const archive = path.join(folder, printed.trim().split('\n').at(-1) ?? '');
  await runOrFail('tar', ['-xzf', archive, '--strip-components=1', '-C', folder, '--no-same-owner']);
  await rm(archive);
}
