import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { PlainError } from '../plain-error.mjs';
import { ChildServer } from '../processes/child-server.mjs';
import { run } from '../processes/run.mjs';
import { withOwnMounts } from './own-mounts.mjs';

/**
 * What a container engine does for a program, with the tools of every Linux: the image is its whole file system and is
 * read-only, /tmp and what is given as a volume excepted; it is PID 1 and runs as the image's user, without a way to more
 * rights. Addresses are those of the machine.
 *
 * $1: the image's file system; $2: where the volume comes from; $3: user and group; $4: working directory; then the command.
 */
const START = `
set -e
root=$1 volume=$2 user=$3 folder=$4
shift 4
mount --bind "$root" "$root"
mkdir -p "$root/proc" "$root/dev" "$root/tmp" "$root/run/secrets"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount -t tmpfs -o nosuid,mode=0755 tmpfs "$root/dev"
for device in null zero full random urandom; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mount -t tmpfs -o nosuid,nodev,noexec,mode=1777,size=64m tmpfs "$root/tmp"
mount --bind "$volume" "$root/run/secrets"
mount -o remount,bind,ro,nosuid,nodev "$root/run/secrets"
mount -o remount,bind,ro "$root"
exec setpriv --no-new-privs chroot --userspec="$user" --groups= "$root" env --chdir="$folder" "$@"
`;

/** How long a child of unshare may take to appear. */
const FORK_TIMEOUT_MS = 5000;

/**
 * @typedef {object} ImageSettings
 * @property {Readonly<Record<string, string>>} environment
 * @property {readonly string[]} command
 * @property {readonly string[]} healthCheck empty without one
 * @property {string} user
 * @property {string} folder working directory
 * @property {Readonly<Record<string, string>>} labels
 * @property {readonly number[]} ports that it says it listens on
 */

/** An image that is mounted for one container. */
export class MountedImage {
  #buildah;
  #container;

  /**
   * @param {import('./buildah.mjs').Buildah} buildah
   * @param {string} container
   * @param {string} root
   * @param {ImageSettings} settings
   */
  constructor(buildah, container, root, settings) {
    this.#buildah = buildah;
    this.#container = container;
    this.root = root;
    this.settings = settings;
  }

  /**
   * @param {import('./buildah.mjs').Buildah} buildah
   * @param {string} image
   * @returns {Promise<MountedImage>}
   */
  static async mount(buildah, image) {
    const container = await buildah.run(['from', '--pull-never', image]);
    const root = await buildah.run(['mount', container]);
    return new MountedImage(buildah, container, root, await imageSettings(buildah, image));
  }

  /** Takes it away again; nothing may run in it. */
  async remove() {
    await this.#buildah.run(['rm', this.#container]);
  }
}

/**
 * @param {import('./buildah.mjs').Buildah} buildah
 * @param {string} image
 * @returns {Promise<ImageSettings>} what an engine would read from the image
 */
export async function imageSettings(buildah, image) {
  const { Docker } = JSON.parse(await buildah.run(['inspect', '--type', 'image', image]));
  const { Env, Cmd, Entrypoint, Healthcheck, User, WorkingDir, Labels, ExposedPorts } = Docker.config;
  const [kind, ...check] = Healthcheck?.Test ?? ['NONE'];
  return {
    environment: environmentOf(Env ?? []),
    command: [...(Entrypoint ?? []), ...(Cmd ?? [])],
    healthCheck: kind === 'CMD' ? check : [],
    user: User,
    folder: WorkingDir,
    labels: Labels ?? {},
    ports: Object.keys(ExposedPorts ?? {}).map((port) => Number.parseInt(port, 10)),
  };
}

/** @param {readonly string[]} pairs `NAME=value` */
const environmentOf = (pairs) =>
  Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));

/**
 * @typedef {object} ContainerOptions
 * @property {string} name
 * @property {MountedImage} image
 * @property {Readonly<Record<string, string>>} environment besides the image's own; nothing else of ours is passed on
 * @property {string} volume folder that the program finds, read-only, at /run/secrets
 * @property {readonly string[]} [command] default: that of the image
 * @property {string} [logFile]
 * @property {import('../processes/guard.mjs').Guard} guard
 */

/** A running program of an image. */
export class Container {
  #outer;
  #pid;
  #options;

  /**
   * @param {ChildServer} outer the program outside, which waits for the other
   * @param {number | undefined} pid of the program inside, as this machine sees it; undefined when it has ended already
   * @param {ContainerOptions} options
   */
  constructor(outer, pid, options) {
    this.#outer = outer;
    this.#pid = pid;
    this.#options = options;
    if (pid === undefined) return;
    options.guard.watch(pid, 'services');
    void outer.ended.then(() => options.guard.forget(pid));
  }

  /** @param {ContainerOptions} options */
  static async start(options) {
    const { name, image, volume, logFile, guard } = options;
    const { user, folder, command } = image.settings;
    const inside = [image.root, volume, user, folder, ...(options.command ?? command)];
    const outer = await ChildServer.start({
      name,
      ...withOwnMounts(START, inside, ['--pid', '--fork', '--kill-child']),
      env: environmentInside(options),
      cwd: '/',
      logFile,
      guard,
      kind: 'services',
    });
    return new Container(outer, await childOf(outer), options);
  }

  /** @returns {string | undefined} how it ended; undefined while it runs */
  get outcome() {
    return this.#outer.outcome;
  }

  /** @returns {Promise<string>} how it ended */
  get ended() {
    return this.#outer.ended;
  }

  /** @param {number} count */
  lastLines(count) {
    return this.#outer.lastLines(count);
  }

  /**
   * Runs another program in the container, as its user.
   * @param {readonly string[]} command
   * @param {string} [input] for its standard input
   * @returns {Promise<import('../processes/run.mjs').RunOutcome>}
   */
  run(command, input) {
    const [user = '', group = ''] = this.#options.image.settings.user.split(':');
    const inside = [
      '--target',
      String(this.#pid),
      '--mount',
      '--pid',
      '--root',
      '--wd',
      '--setuid',
      user,
      '--setgid',
      group,
    ];
    return run('nsenter', [...inside, ...command], { env: environmentInside(this.#options), input });
  }

  /**
   * Sends SIGTERM to PID 1 and waits for its end.
   * @param {number} graceMs after which it is killed
   * @returns {Promise<string>} how it ended: `exit code 0` if it did so by itself
   */
  async stop(graceMs) {
    if (this.outcome === undefined && this.#pid !== undefined) process.kill(this.#pid, 'SIGTERM');
    const killer = setTimeout(() => this.#outer.kill(), graceMs);
    const outcome = await this.ended;
    clearTimeout(killer);
    return outcome;
  }
}

/** @param {ContainerOptions} options */
const environmentInside = ({ image, environment }) => ({ ...image.settings.environment, ...environment });

/**
 * Runs a program of an image to its end.
 * @param {ContainerOptions} options
 * @returns {Promise<string[]>} what it printed
 * @throws {PlainError} when it fails
 */
export async function runToEnd(options) {
  const container = await Container.start(options);
  const outcome = await container.ended;
  if (outcome === 'exit code 0') return container.lastLines(Number.POSITIVE_INFINITY);
  throw new PlainError(`crm/${options.name} ended with ${outcome}:\n${container.lastLines(40).join('\n')}`);
}

/**
 * @param {ChildServer} outer
 * @returns {Promise<number | undefined>} the process that unshare has forked; undefined when it has ended already
 * @throws {PlainError} when there is none
 */
async function childOf(outer) {
  const deadline = Date.now() + FORK_TIMEOUT_MS;
  while (outer.outcome === undefined && Date.now() < deadline) {
    const children = await readFile(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8').catch((error) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    const child = Number(children.trim().split(' ')[0]);
    if (child > 0) return child;
    await delay(5);
  }
  if (outer.outcome !== undefined) return undefined;
  throw new PlainError(`The container of ${outer.name} does not start: unshare has no child`);
}
