import { spawn } from 'node:child_process';

/** Reads lists of process ids. When the input ends without `bye`, the writer has died: it ends them and removes the
 * folder. A shell, because one more Node process would cost 40 MB. */
const GUARD_SCRIPT = `
pids='' folder=''
while read -r verb value; do
  case $verb in
    pids) pids=$value ;;
    folder) folder=$value ;;
    bye) exit 0 ;;
  esac
done
for pid in $pids; do kill -s INT "$pid"; done
tries=0
while [ "$tries" -lt 100 ]; do
  left=''
  for pid in $pids; do if kill -0 "$pid"; then left="$left $pid"; fi; done
  if [ -z "$left" ]; then break; fi
  sleep 0.1
  tries=$((tries + 1))
done
for pid in $left; do kill -s KILL "$pid"; done
if [ -n "$folder" ]; then rm -rf -- "$folder"; fi
`;

/** Ends our children when this process dies without doing it itself, by SIGINT, which is PostgreSQL's fast shutdown. */
export class Guard {
  /** @type {Set<number>} */
  #pids = new Set();
  #shell;

  /** @param {{ throwawayFolder?: string }} [options] a folder to delete when this process dies */
  constructor({ throwawayFolder } = {}) {
    this.#shell = spawn('sh', ['-c', GUARD_SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    // A guard that was killed leaves us without a net, not without a platform: writing to it may fail.
    this.#shell.stdin.on('error', () => this.#pids.clear());
    this.#shell.unref();
    /** @type {import('node:net').Socket} */ (/** @type {unknown} */ (this.#shell.stdin)).unref();
    if (throwawayFolder) this.#shell.stdin.write(`folder ${throwawayFolder}\n`);
  }

  /** @param {number} pid */
  watch(pid) {
    this.#pids.add(pid);
    this.#report();
  }

  /** @param {number} pid a child that has ended by itself: its id may soon be someone else's */
  forget(pid) {
    this.#pids.delete(pid);
    this.#report();
  }

  /** Everything has been stopped in order; the guard has nothing left to do. */
  dismiss() {
    this.#shell.stdin.end('bye\n');
  }

  #report() {
    this.#shell.stdin.write(`pids ${[...this.#pids].join(' ')}\n`);
  }
}
