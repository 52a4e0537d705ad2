import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { lastLines, run } from '../processes/run.mjs';
import { CACHE_DIR, ROOT } from '../root.mjs';
import { unpackDebianPackages } from './debian-programs.mjs';

/** What building without a Docker engine needs; deleting it loses nothing but time. */
export const IMAGES_CACHE = path.join(CACHE_DIR, 'images');

const TOOLS = path.join(IMAGES_CACHE, 'tools');

/** Images are made here and named by us: there is nobody whose signature could be asked for. */
const POLICY = { default: [{ type: 'insecureAcceptAnything' }] };

/** buildah, which builds images and mounts them without an engine that runs all the time. */
export class Buildah {
  #program;
  #options;
  #environment;

  /**
   * @param {string} program
   * @param {readonly string[]} options before every command
   * @param {NodeJS.ProcessEnv} environment
   */
  constructor(program, options, environment) {
    this.#program = program;
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
    const policy = path.join(IMAGES_CACHE, 'policy.json');
    const registries = path.join(IMAGES_CACHE, 'registries.conf');
    await writeFile(policy, JSON.stringify(POLICY));
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
    const overlay = new Buildah(tools.buildah, options('overlay'), environment);
    if (await overlay.#works()) return overlay;
    const vfs = new Buildah(tools.buildah, options('vfs'), environment);
    await vfs.run(['info']);
    return vfs;
  }

  async #works() {
    const outcome = await run(this.#program, [...this.#options, 'info'], { env: this.#environment });
    return outcome.code === 0;
  }

  /**
   * @param {readonly string[]} args
   * @returns {Promise<string>} what it prints, without the last line end
   * @throws {PlainError} when it fails
   */
  async run(args) {
    const outcome = await run(this.#program, [...this.#options, ...args], { cwd: ROOT, env: this.#environment });
    if (outcome.code === 0) return outcome.stdout.trimEnd();
    const output = lastLines(`${outcome.stdout}\n${outcome.stderr}`, 25);
    throw new PlainError(`buildah ${args.join(' ')} failed (${outcome.code}):\n${output}`);
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
 * @returns {Promise<{ buildah: string, debootstrap: string, environment: NodeJS.ProcessEnv }>} the programs, and what they
 *   need to find their libraries
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
  return {
    buildah: program(0, 'buildah', 'bin'),
    debootstrap: program(1, 'debootstrap', 'sbin'),
    environment: {
      LD_LIBRARY_PATH: libraries.join(':'),
      DEBOOTSTRAP_DIR: installed[1]?.code === 0 ? undefined : path.join(TOOLS, 'usr', 'share', 'debootstrap'),
    },
  };
}
