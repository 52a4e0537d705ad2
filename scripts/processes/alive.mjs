import { setTimeout as delay } from 'node:timers/promises';
import { run } from './run.mjs';

/** @param {number} pid @returns {boolean} whether a process has this id (ours or not) */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives and belongs to somebody else.
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/** The command line of a process, so that an id that was used again is not mistaken for ours.
 * @param {number} pid @returns {Promise<string>} empty when there is no such process */
export async function commandLineOf(pid) {
  return (await run('ps', ['-ww', '-o', 'args=', '-p', String(pid)])).stdout.trim();
}

/** Sends a signal; a process that has just gone is no error. @param {number} pid @param {NodeJS.Signals} signal */
export function sendSignal(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}

/** Stops a process that is not (or no longer) our child and waits until it is gone. @param {number} pid
 * @param {NodeJS.Signals} signal the polite one @param {number} graceMs how long it may take before SIGKILL */
export async function endProcess(pid, signal, graceMs) {
  sendSignal(pid, signal);
  const deadline = Date.now() + graceMs;
  while (isAlive(pid)) {
    if (Date.now() > deadline) sendSignal(pid, 'SIGKILL');
    await delay(50);
  }
}
