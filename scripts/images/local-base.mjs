import { chmod, cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { lastLines, run } from '../processes/run.mjs';
import { withoutNpmVariables } from '../setup/pnpm.mjs';
import { buildTools, IMAGES_CACHE } from './buildah.mjs';

/** What the official images of Node 24 have; the npm package of Node itself has none. */
const NPM_VERSION = '11.21.2';

const MIRROR = 'http://deb.debian.org/debian';

/** What Debian's slim images leave out too. */
const LEFT_OUT = [
  'usr/share/doc',
  'usr/share/man',
  'usr/share/info',
  'usr/share/locale',
  'var/cache/apt',
  'var/lib/apt/lists',
];

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Makes stand-ins for the two base images where no registry is at hand: a minimal Debian by debootstrap, and the same with
 * the Node of the npm registry. They are made once.
 * @param {import('./buildah.mjs').Buildah} buildah
 * @param {string} nodeImage that of the Dockerfile, which says the versions of Node and of Debian
 * @returns {Promise<{ NODE_IMAGE: string, DEBIAN_IMAGE: string }>} their names
 * @throws {PlainError} when they cannot be made
 */
export async function localBases(buildah, nodeImage) {
  const { node, suite } = versionsOf(nodeImage);
  const names = {
    DEBIAN_IMAGE: `localhost/crm-base/debian:${suite}`,
    NODE_IMAGE: `localhost/crm-base/node:${node}-${suite}`,
  };
  if (!(await buildah.has(names.DEBIAN_IMAGE))) {
    await inWorkFolder(async (folder) => {
      await debootstrap(suite, folder);
      await buildah.derive('scratch', names.DEBIAN_IMAGE, async (container) => {
        await buildah.run(['copy', '--quiet', container, folder, '/']);
        await buildah.run(['config', '--env', `PATH=${PATH}`, '--cmd', '["bash"]', container]);
      });
    });
  }
  if (!(await buildah.has(names.NODE_IMAGE))) {
    await inWorkFolder(async (folder) => {
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
  const outcome = await run(tools.debootstrap, ['--variant=minbase', suite, folder, MIRROR], {
    env: { ...process.env, ...tools.environment },
  });
  if (outcome.code !== 0) {
    const output = lastLines(`${outcome.stdout}\n${outcome.stderr}`, 10);
    throw new PlainError(`The base image could not be made with debootstrap:\n${output}`);
  }
  for (const unwanted of LEFT_OUT) {
    const entries = await readdir(path.join(folder, unwanted));
    for (const entry of entries) await rm(path.join(folder, unwanted, entry), { recursive: true });
  }
}

/**
 * Node and npm as the official images have them below /usr/local.
 * @param {string} version
 * @param {string} folder
 */
async function unpackNode(version, folder) {
  const npm = path.join('lib', 'node_modules', 'npm');
  await inWorkFolder(async (packages) => {
    await unpackPackage(`node-linux-${process.arch}@${version}`, path.join(packages, 'node'));
    await mkdir(path.join(folder, 'bin'), { recursive: true });
    await cp(path.join(packages, 'node', 'bin', 'node'), path.join(folder, 'bin', 'node'));
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
  const environment = withoutNpmVariables(process.env);
  const packed = await run('npm', ['pack', '--silent', '--pack-destination', folder, spec], {
    cwd: '/',
    env: environment,
  });
  const archive = path.join(folder, packed.stdout.trim().split('\n').at(-1) ?? '');
  if (packed.code !== 0) throw new PlainError(`npm pack ${spec} failed:\n${lastLines(packed.stderr, 5)}`);
  const unpacked = await run('tar', ['-xzf', archive, '--strip-components=1', '-C', folder, '--no-same-owner']);
  if (unpacked.code !== 0) throw new PlainError(`${archive} could not be unpacked:\n${lastLines(unpacked.stderr, 3)}`);
  await rm(archive);
}

/** @param {(folder: string) => Promise<void>} work in a folder that is removed afterwards, and that every user can enter */
async function inWorkFolder(work) {
  await mkdir(IMAGES_CACHE, { recursive: true });
  const folder = await mkdtemp(path.join(IMAGES_CACHE, 'work-'));
  await chmod(folder, 0o755);
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
