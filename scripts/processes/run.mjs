import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { PlainError } from '../plain-error.mjs';

/** @typedef {import('node:child_process').ExecFileOptions & { input?: string }} RunOptions input: written to its standard input */

/** Runs a program to its end and collects what it prints. Never throws for a non-zero exit.
 * @param {string} command @param {readonly string[]} args @param {RunOptions} [options]
 * @returns {Promise<{ code: number, stdout: string, stderr: string }>} code: 127 when the program does not exist, 128 when it was killed */
export function run(command, args, { input, ...options } = {}) {
  return new Promise((resolve) => {
    const child = execFile(
      command,
      args,
      { maxBuffer: Number.POSITIVE_INFINITY, ...options },
      (error, stdout, stderr) => {
        const isMissing = typeof error?.code === 'string';
        const code = error ? (isMissing ? 127 : Number(error.code ?? 128)) : 0;
        resolve({ code, stdout: String(stdout), stderr: isMissing ? `${stderr}${error.message}\n` : String(stderr) });
      },
    );
    // A program that ends before it has read everything says so by its exit code.
    child.stdin?.on('error', () => child.stdin?.destroy());
    child.stdin?.end(input);
  });
}

/** Runs a program that has to succeed.
 * @param {string} command @param {readonly string[]} args
 * @param {RunOptions & { failure?: string, lines?: number }} [options] failure: what could not be done, for people; default: the command. lines: how much of what the program printed is told with it
 * @returns {Promise<string>} what it prints to its standard output @throws {PlainError} when it fails */
export async function runOrFail(command, args, { failure, lines = 10, ...options } = {}) {
  const { code, stdout, stderr } = await run(command, args, options);
  if (code === 0) return stdout;
  const what = failure ?? `${command} ${args.join(' ')} failed (${code})`;
  throw new PlainError(`${what}:\n${lastLines(`${stdout}\n${stderr}`, lines)}`);
}

/** The last lines of a text, for a message that has to stay short. @param {string} text @param {number} count */
export const lastLines = (text, count) => text.trimEnd().split('\n').slice(-count).join('\n');

/** Runs a program with our terminal. Ctrl-C reaches it by itself; we stay, to stop what was started around it.
 * @param {string} command @param {readonly string[]} args @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<number>} exit code, 128 + signal when it was killed */
export async function runInForeground(command, args, options = {}) {
  const child = spawn(command, args, { stdio: 'inherit', ...options });
  const forward = (/** @type {NodeJS.Signals} */ signal) => signal !== 'SIGINT' && child.kill(signal);
  const signals = /** @type {const} */ (['SIGTERM', 'SIGHUP', 'SIGINT']);
  for (const signal of signals) process.on(signal, forward);
  try {
    const [code, signal] = await once(child, 'close');
    return code ?? 128 + constants.signals[/** @type {NodeJS.Signals} */ (signal)];
  } catch (error) {
    throw new PlainError(`${command} cannot be run: ${error instanceof Error ? error.message : error}`);
  } finally {
    for (const signal of signals) process.off(signal, forward);
  }
}

/** @param {number} pid @returns {boolean} whether a process has this id (ours or not) */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives and belongs to someone else.
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/** The command line of a process, so that an id that was used again is not mistaken for ours.
 * @param {number} pid @returns {Promise<string>} empty when the process does not exist */
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
