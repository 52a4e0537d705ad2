import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { PlainError } from '../plain-error.mjs';
import { ChildServer } from '../processes/child-server.mjs';
import { run, sendSignal } from '../processes/run.mjs';

/** What a container engine does for a program, with the tools of every Linux: the image is its whole file system and is
 * read-only, apart from /tmp and the volume; it is PID 1 and runs as the image's user, without a way to more rights.
 * Addresses are those of the machine. $1: the image's file system; $2: where the volume comes from; $3: user and
 * group; $4: working directory; then the command. */
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

/** @typedef {Awaited<ReturnType<typeof mountImage>>} MountedImage its file system, and what an engine would read from an image */

/** @param {import('./buildah.mjs').Buildah} buildah @param {string} image */
export async function mountImage(buildah, image) {
  const root = await buildah.run(['mount', await buildah.run(['from', '--pull-never', image])]);
  const { Docker } = JSON.parse(await buildah.run(['inspect', '--type', 'image', image]));
  /** @type {{ Env: string[], Entrypoint: string[], User: string, WorkingDir: string }} */
  const { Env, Entrypoint, User, WorkingDir } = Docker.config;
  /** @type {Record<string, string>} */
  const environment = Object.fromEntries(Env.map((pair) => pair.split(/=(.*)/s, 2)));
  return { root, environment, entrypoint: Entrypoint, user: User, folder: WorkingDir };
}

/** @typedef {Awaited<ReturnType<typeof startContainer>>} Container */

/** volume: folder that the program finds, read-only, at /run/secrets; command: for the entry point of the image.
 * @param {{ name: string, image: MountedImage, environment: Readonly<Record<string, string>>, volume: string, command: readonly string[], logFile?: string, guard: import('../processes/guard.mjs').Guard }} options */
export async function startContainer({ name, image, environment, volume, command, logFile, guard }) {
  const inside = [image.root, volume, image.user, image.folder, ...image.entrypoint, ...command];
  const env = { ...image.environment, ...environment };
  const outer = await ChildServer.start({
    name,
    command: 'unshare',
    args: ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', START, 'container', ...inside],
    env,
    cwd: '/',
    logFile,
    guard,
  });
  const pid = await childOf(outer);
  if (pid !== undefined) {
    guard.watch(pid);
    void outer.ended.then(() => guard.forget(pid));
  }
  return {
    /** The program outside, which waits for the one inside. */
    outer,

    /** Runs another program in the container, as its user: what `docker exec` does.
     * @param {readonly string[]} more @param {string} [input] for its standard input */
    run(more, input) {
      const [user = '', group = ''] = image.user.split(':');
      const as = ['--mount', '--pid', '--root', '--wd', '--setuid', user, '--setgid', group];
      return run('nsenter', ['--target', String(pid), ...as, ...more], { env, input });
    },

    /** Sends SIGTERM to PID 1 and waits for its end. @param {number} graceMs after which it is killed
     * @returns {Promise<string>} how it ended: `exit code 0` if it did so by itself */
    async stop(graceMs) {
      if (outer.outcome === undefined && pid !== undefined) sendSignal(pid, 'SIGTERM');
      const killer = setTimeout(() => outer.kill(), graceMs);
      return outer.ended.finally(() => clearTimeout(killer));
    },
  };
}

/** @param {ChildServer} outer @returns {Promise<number | undefined>} the process that unshare has forked; undefined
 * when it has ended already @throws {PlainError} when there is none */
async function childOf(outer) {
  for (const deadline = Date.now() + FORK_TIMEOUT_MS; outer.outcome === undefined; await delay(5)) {
    // The list goes with the process.
    const children = await readFile(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8').catch(() => '');
    const child = Number.parseInt(children, 10);
    if (child > 0) return child;
    if (Date.now() > deadline) throw new PlainError(`The container of ${outer.name} does not start`);
  }
  return undefined;
}
