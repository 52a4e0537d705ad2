import { readdir, readFile } from 'node:fs/promises';

/** Of a second in `/proc/<pid>/stat`; the same on every Linux. */
const TICKS_PER_SECOND = 100;

/**
 * Processor time, of the user and of the system, that each process has taken by now; ours is the client's.
 * @param {import('./processes.mjs').Subject} subject
 * @returns {Promise<Map<string, number>>} empty but for the client where there is no /proc
 */
export async function processorSeconds({ processes }) {
  const { user, system } = process.cpuUsage();
  const seconds = new Map([['client', (user + system) / 1e6]]);
  for (const { name, pid, withChildren } of processes) {
    const own = await timesOf(pid);
    if (!own) continue;
    const children = withChildren ? await childrenOf(pid) : [];
    const ticks = children.reduce((sum, child) => sum + child.ticks, own.ticks + (withChildren ? own.ofEnded : 0));
    seconds.set(name, ticks / TICKS_PER_SECOND);
  }
  return seconds;
}

/** @param {number} parent */
async function childrenOf(parent) {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const all = await Promise.all(pids.map(timesOf));
  return all.filter((times) => times?.parent === parent).map((times) => /** @type {{ ticks: number }} */ (times));
}

/** @param {number} pid */
async function timesOf(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name of the program, in parentheses, may hold spaces.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  return (
    fields && {
      parent: Number(fields[1]),
      ticks: Number(fields[11]) + Number(fields[12]),
      // Without it, a child that ends between two looks would take its time along.
      ofEnded: Number(fields[13]) + Number(fields[14]),
    }
  );
}
