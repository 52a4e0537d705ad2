import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { run, runOrFail } from '../processes/run.mjs';
import { CACHE_DIR, inRoot, ROOT } from '../root.mjs';
import { unpackDebianPackages } from '../servers/debian-packages.mjs';

/** What building without a Docker engine needs; deleting it loses nothing but time. */
export const IMAGES_CACHE = path.join(CACHE_DIR, 'images');

export const DOCKERFILE = inRoot('deploy', 'Dockerfile');

const TOOLS = path.join(IMAGES_CACHE, 'tools');
const STORAGE = path.join(IMAGES_CACHE, 'storage');

/** Images are made and named here: there is nobody whose signature could be asked for. */
const POLICY_FILE = path.join(IMAGES_CACHE, 'policy.json');
const POLICY = { default: [{ type: 'insecureAcceptAnything' }] };
const COMMANDS_WITH_POLICY = ['from', 'build', 'commit'];

/**
 * buildah starts itself anew for each RUN, without the variables that would show it libraries in our folder. It finds them by
 * the system's list of libraries instead: $1 is one with our folder, in the view of this program alone.
 */
const WITH_LIBRARIES = 'mount --bind "$1" /etc/ld.so.cache && shift && exec "$@"';

/** Builds images and mounts them without an engine that runs all the time. */
export class Buildah {
  #tools;
  #options;

  /**
   * @param {BuildTools} tools
   * @param {string} driver
   */
  constructor(tools, driver) {
    this.#tools = tools;
    const folders = ['--root', path.join(STORAGE, driver), '--runroot', path.join(IMAGES_CACHE, 'run', driver)];
    this.#options = ['--storage-driver', driver, ...folders];
  }

  /**
   * The machine's own buildah, or Debian's unpacked into the cache. Its images are in the cache: those of the machine are
   * neither seen nor changed.
   * @returns {Promise<Buildah>}
   * @throws {PlainError} when it cannot be had
   */
  static async find() {
    const tools = await buildTools();
    await writeFile(POLICY_FILE, JSON.stringify(POLICY));
    // Overlays share the layers of images; vfs copies all of them each time, but works where overlays do not nest.
    const overlay = new Buildah(tools, 'overlay');
    return overlay.run(['info']).then(
      () => overlay,
      () => new Buildah(tools, 'vfs'),
    );
  }

  /**
   * @param {readonly string[]} args
   * @returns {Promise<string>} what it prints, without the last line end
   * @throws {PlainError} when it fails
   */
  async run([command = '', ...args]) {
    const policy = COMMANDS_WITH_POLICY.includes(command) ? ['--signature-policy', POLICY_FILE] : [];
    const { buildah, libraryCache, environment } = this.#tools;
    const line = [buildah, ...this.#options, command, ...policy, ...args];
    const [program = '', ...rest] =
      command === 'build' && libraryCache
        ? ['unshare', '--mount', 'sh', '-c', WITH_LIBRARIES, 'with-libraries', libraryCache, ...line]
        : line;
    const failure = `buildah ${command} ${args.join(' ')} failed`;
    return (await runOrFail(program, rest, { cwd: ROOT, env: environment, failure, lines: 25 })).trimEnd();
  }

  /**
   * Builds the image of deploy/Dockerfile. It trusts the authority that this process trusts, which matters behind a proxy
   * that signs by itself.
   * @param {string} name
   * @param {Readonly<Record<string, string>>} values of the ARGs of the Dockerfile
   */
  async build(name, values) {
    const given = Object.entries(values).flatMap(([argument, value]) => ['--build-arg', `${argument}=${value}`]);
    const authority = process.env.NODE_EXTRA_CA_CERTS;
    const trust = ['--secret', `id=ca,src=${authority}`, '--build-arg', 'NODE_EXTRA_CA_CERTS=/run/secrets/ca'];
    const options = ['--layers', '--format', 'docker', '--isolation', 'chroot', '--tag', name];
    await this.run(['build', ...options, ...given, ...(authority ? trust : []), '--file', DOCKERFILE, ROOT]);
    // Containers of stages, and images that nothing refers to any more.
    await this.run(['rm', '--all']);
    await this.run(['rmi', '--prune', '--force']);
  }

  /**
   * @param {string} image
   * @returns {Promise<boolean>} whether it has been built
   */
  async has(image) {
    return (await this.run(['images', '--all', '--format', '{{.Name}}:{{.Tag}}'])).split('\n').includes(image);
  }

  /**
   * Makes an image of another and a folder.
   * @param {string} from image to start with, or `scratch`
   * @param {string} to name of the new image
   * @param {string} folder
   * @param {string} place of its contents in the image
   */
  async add(from, to, folder, place) {
    const container = await this.run(['from', '--pull-never', from]);
    await this.run(['copy', '--quiet', container, folder, place]);
    await this.run(['config', '--env', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', container]);
    await this.run(['commit', '--quiet', '--rm', '--format', 'docker', container, to]);
  }

  /**
   * Overlays are made on a folder that is mounted onto itself, which buildah leaves so; and a run that was killed leaves what it
   * had mounted. The innermost comes last in the list, and must go first.
   */
  async unmount() {
    await this.run(['rm', '--all']);
    const mounts = [...(await readFile('/proc/mounts', 'utf8')).matchAll(/^\S+ (\S+) /gm)].map(([, at = '']) => at);
    for (const mount of mounts.toReversed().filter((one) => one.startsWith(`${STORAGE}/`))) {
      await runOrFail('umount', ['--lazy', mount]);
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
      'The image is built and started as root on Linux: with buildah, without a Docker engine.\n' +
        'With an engine: docker build -f deploy/Dockerfile -t crm/platform .',
    );
  }
  await mkdir(IMAGES_CACHE, { recursive: true });
  const registries = path.join(IMAGES_CACHE, 'registries.conf');
  await writeFile(registries, '');
  const environment = { ...process.env, CONTAINERS_REGISTRIES_CONF: registries };
  const installed = await Promise.all(['buildah', 'debootstrap'].map((program) => run(program, ['--version'])));
  if (installed.every(({ code }) => code === 0)) {
    return { buildah: 'buildah', debootstrap: 'debootstrap', environment };
  }
  await unpackDebianPackages(TOOLS, ['buildah', 'debootstrap']);
  const libraries = (await readdir(path.join(TOOLS, 'usr', 'lib')))
    .filter((name) => name.endsWith('-linux-gnu'))
    .map((name) => path.join(TOOLS, 'usr', 'lib', name));
  // A file as /etc/ld.so.cache, with the libraries in the folders too.
  const [configuration, libraryCache] = ['ld.so.conf', 'ld.so.cache'].map((name) => path.join(IMAGES_CACHE, name));
  await writeFile(configuration ?? '', ['include /etc/ld.so.conf', ...libraries, ''].join('\n'));
  await runOrFail('/sbin/ldconfig', ['-X', '-f', configuration ?? '', '-C', libraryCache ?? '']);
  return {
    buildah: path.join(TOOLS, 'usr', 'bin', 'buildah'),
    debootstrap: path.join(TOOLS, 'usr', 'sbin', 'debootstrap'),
    libraryCache,
    environment: {
      ...environment,
      LD_LIBRARY_PATH: libraries.join(':'),
      DEBOOTSTRAP_DIR: path.join(TOOLS, 'usr', 'share', 'debootstrap'),
    },
  };
}
