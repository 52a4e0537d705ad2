// Processor time that a piece of work takes in each process.
import { processorSeconds } from '../processor-time.mjs';

/** @typedef {import('../processes.mjs').Subject['processes']} MeasuredProcesses */

/**
 * Begins to count.
 * @param {MeasuredProcesses} processes
 * @returns {Promise<() => Promise<Map<string, number>>>} what gives the seconds since then, by process
 */
export async function countProcessorTime(processes) {
  const subject = { name: '', port: 0, processes };
  const before = await processorSeconds(subject);
  return async () => {
    const seconds = await processorSeconds(subject);
    for (const [name, after] of seconds) seconds.set(name, after - (before.get(name) ?? 0));
    // This process only waits, and asks how far the others are.
    seconds.delete('client');
    return seconds;
  };
}

/**
 * Rows that inform.
 * @param {string} name what was measured
 * @param {readonly ReadonlyMap<string, number>[]} rounds seconds of each, by process
 * @param {number} count of what was worked on in all rounds
 */
export function processorRows(name, rounds, count) {
  const total = (/** @type {string} */ process) => rounds.reduce((sum, round) => sum + (round.get(process) ?? 0), 0);
  return [...(rounds[0]?.keys() ?? [])].map((process) => ({
    name: `${name}, processor time of each: ${process}`,
    unit: 'µs',
    ours: (total(process) / count) * 1e6,
  }));
}
