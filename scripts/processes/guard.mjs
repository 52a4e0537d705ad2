import { spawn } from 'node:child_process';

/** Reads lists of process ids. When the input ends without `bye`, the writer has died: it ends them and removes the
 * folder. A shell, because one more Node process would cost 40 MB. */
const GUARD_SCRIPT = `
services='' servers='' folder=''
while read -r verb value; do
  case $verb in
    services) services=$value ;;
    servers) servers=$value ;;
    folder) folder=$value ;;
    bye) exit 0 ;;
  esac
done
end() {
  signal=$1; shift
  for pid in "$@"; do kill -s "$signal" "$pid" 2>/dev/null; done
  tries=0
  while [ "$tries" -lt 100 ]; do
    left=''
    for pid in "$@"; do if kill -0 "$pid" 2>/dev/null; then left="$left $pid"; fi; done
    if [ -z "$left" ]; then return 0; fi
    sleep 0.1
    tries=$((tries + 1))
  done
  for pid in "$@"; do kill -s KILL "$pid" 2>/dev/null; done
}
end TERM $services
end INT $servers
if [ -n "$folder" ]; then rm -rf -- "$folder"; fi
`;

/** Ends our children when this process dies without doing it itself: services first, then servers by SIGINT,
 * PostgreSQL's fast shutdown. */
export class Guard {
  /** @type {Map<number, 'services' | 'servers'>} */
  #children = new Map();
  #shell;

  /** @param {{ throwawayFolder?: string }} [options] a folder to delete when this process dies */
  constructor({ throwawayFolder } = {}) {
    this.#shell = spawn('sh', ['-c', GUARD_SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    // A guard that was killed leaves us without a net, not without a platform: writing to it may fail.
    this.#shell.stdin.on('error', () => this.#children.clear());
    this.#shell.unref();
    /** @type {import('node:net').Socket} */ (/** @type {unknown} */ (this.#shell.stdin)).unref();
    if (throwawayFolder) this.#shell.stdin.write(`folder ${throwawayFolder}\n`);
  }

  /** @param {number} pid @param {'services' | 'servers'} kind */
  watch(pid, kind) {
    this.#children.set(pid, kind);
    this.#report(kind);
  }

  /** @param {number} pid a child that has ended by itself: its id may soon be somebody else's */
  forget(pid) {
    const kind = this.#children.get(pid);
    this.#children.delete(pid);
    if (kind) this.#report(kind);
  }

  /** Everything has been stopped in order; the guard has nothing left to do. */
  dismiss() {
    this.#shell.stdin.end('bye\n');
  }

  /** @param {'services' | 'servers'} kind */
  #report(kind) {
    const pids = [...this.#children].filter(([, of]) => of === kind).map(([pid]) => pid);
    this.#shell.stdin.write(`${kind} ${pids.join(' ')}\n`);
  }
}
