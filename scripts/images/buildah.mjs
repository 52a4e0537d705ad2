import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { run, runOrFail } from '../processes/run.mjs';
import { CACHE_DIR, inRoot, ROOT } from '../root.mjs';
import { unpackDebianPackages } from '../servers/debian-packages.mjs';

/** What building without a Docker engine needs; deleting it loses nothing but time. */
export const IMAGES_CACHE = path.join(CACHE_DIR, 'images');

export const DOCKERFILE = inRoot('deploy', 'Dockerfile');

const STORAGE = path.join(IMAGES_CACHE, 'storage');

/** Images are made and named here: there is nobody whose signature could be asked for. */
const POLICY = { default: [{ type: 'insecureAcceptAnything' }] };
const COMMANDS_WITH_POLICY = ['from', 'build', 'commit'];

/** buildah starts itself anew for each RUN, without LD_LIBRARY_PATH: $1 is a list of libraries with ours, for it alone. */
const WITH_LIBRARIES = 'mount --bind "$1" /etc/ld.so.cache && shift && exec "$@"';

const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** @typedef {ReturnType<typeof builder>} Buildah builds images and mounts them, without an engine that runs all the time */

/** The machine's own buildah, or Debian's. Its images are in the cache: those of the machine are neither seen nor
 * changed. @throws {PlainError} when it cannot be had */
export async function findBuildah() {
  const tools = await buildTools();
  // Overlays share the layers of images; vfs copies all of them each time, but works where overlays do not nest.
  const overlay = builder(tools, 'overlay');
  return overlay.run(['info']).then(
    () => overlay,
    () => builder(tools, 'vfs'),
  );
}

/** @param {BuildTools} tools @param {string} driver */
function builder({ buildah, libraryCache, environment, policy }, driver) {
  const folders = ['--root', path.join(STORAGE, driver), '--runroot', path.join(IMAGES_CACHE, 'run', driver)];

  /** @param {readonly string[]} args @returns {Promise<string>} what it prints, without the last line end
   * @throws {PlainError} when it fails */
  async function run([command = '', ...args]) {
    const own = COMMANDS_WITH_POLICY.includes(command) ? ['--signature-policy', policy] : [];
    const line = [buildah, '--storage-driver', driver, ...folders, command, ...own, ...args];
    const [program = '', ...rest] =
      command === 'build' && libraryCache
        ? ['unshare', '--mount', 'sh', '-c', WITH_LIBRARIES, 'with-libraries', libraryCache, ...line]
        : line;
    const failure = `buildah ${command} ${args.join(' ')} failed`;
    return (await runOrFail(program, rest, { cwd: ROOT, env: environment, failure, lines: 25 })).trimEnd();
  }

  return {
    run,

    /** Builds the image of deploy/Dockerfile. It trusts the authority that this process trusts, as behind a proxy that
     * signs. @param {string} name @param {Readonly<Record<string, string>>} values of the ARGs of the Dockerfile */
    async build(name, values) {
      const given = Object.entries(values).flatMap(([argument, value]) => ['--build-arg', `${argument}=${value}`]);
      const authority = process.env.NODE_EXTRA_CA_CERTS;
      const trust = ['--secret', `id=ca,src=${authority}`, '--build-arg', 'NODE_EXTRA_CA_CERTS=/run/secrets/ca'];
      const options = ['--layers', '--format', 'docker', '--isolation', 'chroot', '--tag', name];
      await run(['build', ...options, ...given, ...(authority ? trust : []), '--file', DOCKERFILE, ROOT]);
      // Containers of stages, and images that nothing refers to any more.
      await run(['rm', '--all']);
      await run(['rmi', '--prune', '--force']);
    },

    /** @param {string} image @returns {Promise<boolean>} whether it has been built */
    has: async (image) =>
      (await run(['images', '--all', '--format', '{{.Name}}:{{.Tag}}'])).split('\n').includes(image),

    /** Makes an image of another and a folder.
     * @param {string} from image to start with, or `scratch` @param {string} to name of the new image
     * @param {string} folder @param {string} place of its contents in the image */
    async add(from, to, folder, place) {
      const container = await run(['from', '--pull-never', from]);
      await run(['copy', '--quiet', container, folder, place]);
      await run(['config', '--env', PATH, container]);
      await run(['commit', '--quiet', '--rm', '--format', 'docker', container, to]);
    },

    /** buildah leaves overlays mounted, and so does a run that was killed. The innermost comes last in the list, and
     * must go first. */
    async unmount() {
      await run(['rm', '--all']);
      const mounts = [...(await readFile('/proc/mounts', 'utf8')).matchAll(/^\S+ (\S+) /gm)].map(([, at = '']) => at);
      for (const mount of mounts.toReversed().filter((one) => one.startsWith(`${STORAGE}/`))) {
        await runOrFail('umount', ['--lazy', mount]);
      }
    },
  };
}

/** environment: by which they find their libraries and scripts; policy: file on whose signatures count; libraryCache: a list of the
 * system's libraries and theirs. @typedef {Awaited<ReturnType<typeof buildTools>>} BuildTools */

/** @throws {PlainError} when this is not root on Linux, or they cannot be fetched */
export async function buildTools() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    throw new PlainError(
      'The image is built and started as root on Linux: with buildah, without a Docker engine.\n' +
        'With an engine: docker build -f deploy/Dockerfile -t crm/platform .',
    );
  }
  const names = ['tools', 'policy.json', 'registries.conf', 'ld.so.conf', 'ld.so.cache'];
  const [tools = '', policy = '', registries = '', configuration = '', libraryCache = ''] = names.map((name) =>
    path.join(IMAGES_CACHE, name),
  );
  await mkdir(IMAGES_CACHE, { recursive: true });
  await writeFile(policy, JSON.stringify(POLICY));
  await writeFile(registries, '');
  const environment = { ...process.env, CONTAINERS_REGISTRIES_CONF: registries };
  const installed = await Promise.all(['buildah', 'debootstrap'].map((program) => run(program, ['--version'])));
  if (installed.every(({ code }) => code === 0)) {
    return { buildah: 'buildah', debootstrap: 'debootstrap', environment, policy };
  }
  await unpackDebianPackages(tools, ['buildah', 'debootstrap']);
  const libraries = (await readdir(path.join(tools, 'usr', 'lib')))
    .filter((name) => name.endsWith('-linux-gnu'))
    .map((name) => path.join(tools, 'usr', 'lib', name));
  await writeFile(configuration, ['include /etc/ld.so.conf', ...libraries, ''].join('\n'));
  await runOrFail('/sbin/ldconfig', ['-X', '-f', configuration, '-C', libraryCache]);
  const debootstrapFolder = path.join(tools, 'usr', 'share', 'debootstrap');
  return {
    buildah: path.join(tools, 'usr', 'bin', 'buildah'),
    debootstrap: path.join(tools, 'usr', 'sbin', 'debootstrap'),
    environment: { ...environment, LD_LIBRARY_PATH: libraries.join(':'), DEBOOTSTRAP_DIR: debootstrapFolder },
    policy,
    libraryCache,
  };
}
