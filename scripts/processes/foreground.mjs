import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { PlainError } from '../plain-error.mjs';

/** Runs a program with our terminal. Ctrl-C reaches it by itself; we stay, to stop what was started around it.
 * @param {string} command @param {readonly string[]} args @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<number>} exit code, 128 + signal when it was killed */
export async function runInForeground(command, args, options = {}) {
  const signals = /** @type {const} */ (['SIGTERM', 'SIGHUP', 'SIGINT']);
  /** @type {(signal: NodeJS.Signals) => void} */
  let forward = () => undefined;
  const listener = (/** @type {NodeJS.Signals} */ signal) => forward(signal);
  for (const signal of signals) process.on(signal, listener);
  try {
    return await new Promise((resolve, reject) => {
      const child = spawn(command, args, { stdio: 'inherit', ...options });
      forward = (signal) => signal !== 'SIGINT' && child.kill(signal);
      child.once('error', (error) => reject(new PlainError(`${command} cannot be run: ${error.message}`)));
      child.once('close', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
    });
  } finally {
    for (const signal of signals) process.off(signal, listener);
  }
}
