import { readFile } from 'node:fs/promises';
import { run } from '../processes/run.mjs';

/**
 * Memory of a program, in bytes.
 * @typedef {object} Memory
 * @property {number} resident what is in memory now, shared pages counted in full for each process
 * @property {number | null} peak the most that was resident; Linux only
 * @property {number | null} proportional resident with shared pages divided among their users: the one that can be
 *   added up; Linux only
 */

/** @param {readonly { pid: number, alone?: boolean }[]} programs alone: without what it has started
 * @returns {Promise<Map<number, Memory>>} by process id */
export async function memoryOf(programs) {
  const parents = await parentTable();
  /** @type {Map<number, Memory>} */
  const result = new Map();
  for (const { pid, alone } of programs) {
    const family = [pid, ...(alone ? [] : descendants(pid, parents))];
    const each = await Promise.all(family.map((member) => memoryOfOne(member, parents.get(member)?.residentKiB ?? 0)));
    result.set(pid, {
      resident: sum(each.map((one) => one.resident)),
      peak: each.some((one) => one.peak === null) ? null : sum(each.map((one) => one.peak ?? 0)),
      proportional: each.some((one) => one.proportional === null)
        ? null
        : sum(each.map((one) => one.proportional ?? 0)),
    });
  }
  return result;
}

/** @param {readonly number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0);

/** @returns {Promise<Map<number, { parent: number, residentKiB: number }>>} every process of the machine */
async function parentTable() {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,rss=']);
  return new Map(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
      .map(([pid = 0, parent = 0, residentKiB = 0]) => [pid, { parent, residentKiB }]),
  );
}

/** @param {number} pid @param {Map<number, { parent: number }>} parents @returns {number[]} */
function descendants(pid, parents) {
  const children = [...parents].filter(([, { parent }]) => parent === pid).map(([child]) => child);
  return children.flatMap((child) => [child, ...descendants(child, parents)]);
}

/** @param {number} pid @param {number} residentKiB @returns {Promise<Memory>} */
async function memoryOfOne(pid, residentKiB) {
  const [status, rollup] = await Promise.all([
    readFile(`/proc/${pid}/status`, 'utf8').catch(() => ''),
    readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => ''),
  ]);
  const kiB = (/** @type {string} */ text, /** @type {RegExp} */ pattern) => {
    const value = pattern.exec(text)?.[1];
    return value ? Number(value) * 1024 : null;
  };
  return {
    resident: residentKiB * 1024,
    peak: kiB(status, /VmHWM:\s+(\d+)/),
    proportional: kiB(rollup, /^Pss:\s+(\d+)/m),
  };
}
