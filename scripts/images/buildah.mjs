import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { run, runOrFail } from '../processes/run.mjs';
import { CACHE_DIR, ROOT } from '../root.mjs';
import { unpackDebianPackages } from '../servers/debian-packages.mjs';
import { withOwnMounts } from './own-mounts.mjs';

/** What building without a Docker engine needs; deleting it loses nothing but time. */
export const IMAGES_CACHE = path.join(CACHE_DIR, 'images');

const TOOLS = path.join(IMAGES_CACHE, 'tools');

/** Images are made here and named by us: there is nobody whose signature could be asked for. */
const POLICY_FILE = path.join(IMAGES_CACHE, 'policy.json');
const POLICY = { default: [{ type: 'insecureAcceptAnything' }] };

/** The commands that ask for it. */
const WITH_POLICY = ['from', 'build', 'commit'];

/**
 * buildah starts itself anew for each RUN, without the variables that would show it libraries in a folder of ours. It finds
 * them by the system's list of libraries instead: $1 is one with our folder, in the view of this program alone.
 */
const WITH_LIBRARIES = 'mount --bind "$1" /etc/ld.so.cache && shift && exec "$@"';

/** buildah, which builds images and mounts them without an engine that runs all the time. */
export class Buildah {
  #tools;
  #options;
  #environment;

  /**
   * @param {BuildTools} tools
   * @param {readonly string[]} options before every command
   * @param {NodeJS.ProcessEnv} environment
   */
  constructor(tools, options, environment) {
    this.#tools = tools;
    this.#options = options;
    this.#environment = environment;
  }

  /**
   * The machine's own buildah, or Debian's unpacked into the cache, with images of our own: those of the machine are
   * neither seen nor changed.
   * @returns {Promise<Buildah>}
   * @throws {PlainError} when it cannot be had
   */
  static async find() {
    const tools = await buildTools();
    const registries = path.join(IMAGES_CACHE, 'registries.conf');
    await writeFile(POLICY_FILE, JSON.stringify(POLICY));
    await writeFile(registries, '');
    const environment = { ...process.env, ...tools.environment, CONTAINERS_REGISTRIES_CONF: registries };
    const options = (/** @type {string} */ driver) => [
      '--storage-driver',
      driver,
      '--root',
      path.join(IMAGES_CACHE, 'storage', driver),
      '--runroot',
      path.join(IMAGES_CACHE, 'run', driver),
    ];
    // Overlays share the layers of images; vfs copies all of them each time, but works where overlays do not nest.
    const overlay = new Buildah(tools, options('overlay'), environment);
    if (await overlay.#works()) return overlay;
    const vfs = new Buildah(tools, options('vfs'), environment);
    await vfs.run(['info']);
    return vfs;
  }

  async #works() {
    const outcome = await run(this.#tools.buildah, [...this.#options, 'info'], { env: this.#environment });
    return outcome.code === 0;
  }

  /**
   * @param {readonly string[]} args
   * @returns {Promise<string>} what it prints, without the last line end
   * @throws {PlainError} when it fails
   */
  async run([command = '', ...args]) {
    const policy = WITH_POLICY.includes(command) ? ['--signature-policy', POLICY_FILE] : [];
    const { buildah, libraryCache } = this.#tools;
    const own = { command: buildah, args: [...this.#options, command, ...policy, ...args] };
    const spawned =
      command === 'build' && libraryCache
        ? withOwnMounts(WITH_LIBRARIES, [libraryCache, own.command, ...own.args])
        : own;
    const printed = await runOrFail(spawned.command, spawned.args, {
      cwd: ROOT,
      env: this.#environment,
      failure: `buildah ${command} ${args.join(' ')} failed`,
      lines: 25,
    });
    return printed.trimEnd();
  }

  /**
   * Removes what builds leave behind: containers of stages, and images that nothing refers to any more. What the next build
   * can use again stays, because images with names are made of it.
   */
  async removeLeftovers() {
    await this.run(['rm', '--all']);
    await this.run(['rmi', '--prune', '--force']);
  }

  /** Deletes everything that was built, the base images too. */
  async clean() {
    await this.run(['rm', '--all']);
    await this.unmount();
    await rm(IMAGES_CACHE, { recursive: true, force: true });
  }

  /**
   * Overlays are made on a folder that is mounted onto itself, which buildah leaves so; and a run that was killed leaves what it
   * had mounted. The innermost comes last in the list, and must go first.
   */
  async unmount() {
    const storage = path.join(IMAGES_CACHE, 'storage');
    const mounts = [...(await readFile('/proc/mounts', 'utf8')).matchAll(/^\S+ (\S+) /gm)].map(
      ([, place = '']) => place,
    );
    for (const place of mounts.toReversed().filter((one) => one.startsWith(`${storage}/`))) {
      await runOrFail('umount', ['--lazy', place]);
    }
  }

  /**
   * @param {string} image
   * @returns {Promise<boolean>} whether it has been built
   */
  async has(image) {
    const names = await this.run(['images', '--all', '--format', '{{.Name}}:{{.Tag}}']);
    return names.split('\n').includes(image);
  }

  /**
   * @param {string} from image to start with, or `scratch`
   * @param {string} to name of the new image
   * @param {(container: string) => Promise<void>} change
   */
  async derive(from, to, change) {
    const container = await this.run(['from', '--pull-never', from]);
    try {
      await change(container);
      await this.run(['commit', '--quiet', '--format', 'docker', container, to]);
    } finally {
      await this.run(['rm', container]);
    }
  }
}

/**
 * @typedef {object} BuildTools
 * @property {string} buildah
 * @property {string} debootstrap
 * @property {NodeJS.ProcessEnv} environment by which they find their libraries and scripts
 * @property {string} [libraryCache] a list of the system's libraries and theirs; without one they are installed
 */

/**
 * @returns {Promise<BuildTools>}
 * @throws {PlainError} when this is not root on Linux, or they cannot be fetched
 */
export async function buildTools() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    throw new PlainError(
      'Images are built and started as root on Linux: with buildah, without a Docker engine.\n' +
        'With an engine: docker build -f deploy/Dockerfile --target gateway -t crm/gateway .',
    );
  }
  await mkdir(IMAGES_CACHE, { recursive: true });
  const installed = await Promise.all([run('buildah', ['--version']), run('debootstrap', ['--version'])]);
  if (installed.every(({ code }) => code === 0)) {
    return { buildah: 'buildah', debootstrap: 'debootstrap', environment: {} };
  }
  await unpackDebianPackages(TOOLS, ['buildah', 'debootstrap']);
  const libraries = (await readdir(path.join(TOOLS, 'usr', 'lib')))
    .filter((name) => name.endsWith('-linux-gnu'))
    .map((name) => path.join(TOOLS, 'usr', 'lib', name));
  /** @param {number} index @param {string} name @param {string} folder */
  const program = (index, name, folder) =>
    installed[index]?.code === 0 ? name : path.join(TOOLS, 'usr', folder, name);
  const libraryCache = installed[0]?.code === 0 ? undefined : await listLibraries(libraries);
  return {
    libraryCache,
    buildah: program(0, 'buildah', 'bin'),
    debootstrap: program(1, 'debootstrap', 'sbin'),
    environment: {
      LD_LIBRARY_PATH: libraries.join(':'),
      DEBOOTSTRAP_DIR: installed[1]?.code === 0 ? undefined : path.join(TOOLS, 'usr', 'share', 'debootstrap'),
    },
  };
}

/**
 * @param {readonly string[]} folders
 * @returns {Promise<string>} a file as /etc/ld.so.cache, with the libraries in the folders too
 */
async function listLibraries(folders) {
  const [configuration, cache] = [path.join(IMAGES_CACHE, 'ld.so.conf'), path.join(IMAGES_CACHE, 'ld.so.cache')];
  await writeFile(configuration, ['include /etc/ld.so.conf', ...folders, ''].join('\n'));
  await runOrFail('/sbin/ldconfig', ['-X', '-f', configuration, '-C', cache]);
  return cache;
}
