import { spawn } from 'node:child_process';
import { PlainError } from '../plain-error.mjs';

/** code: 127 when the program does not exist, 128 + signal when it was killed. @typedef {{ code: number, stdout: string, stderr: string }} RunOutcome */

/**
 * Runs a program to its end and collects what it prints. Never throws for a non-zero exit.
 * @param {string} command @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions & { input?: string }} [options] input: written to its standard input
 * @returns {Promise<RunOutcome>}
 */
export function run(command, args, { input, ...options } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      ...options,
    });
    // A program that ends before it has read everything says so by its exit code.
    child.stdin?.on('error', () => child.stdin?.destroy());
    child.stdin?.end(input);
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    child.on('error', (error) => resolve({ code: 127, stdout, stderr: `${stderr}${error.message}\n` }));
    child.on('close', (code) => resolve({ code: code ?? 128, stdout, stderr }));
  });
}

/**
 * Runs a program that has to succeed.
 * @param {string} command @param {readonly string[]} args
 * @param {Parameters<typeof run>[2] & { failure?: string, lines?: number }} [options] failure: what could not be done, for people; default: the command. lines: how much of what the program printed is told with it
 * @returns {Promise<string>} what it prints to its standard output @throws {PlainError} when it fails
 */
export async function runOrFail(command, args, { failure, lines = 10, ...options } = {}) {
  const { code, stdout, stderr } = await run(command, args, options);
  if (code === 0) return stdout;
  const what = failure ?? `${command} ${args.join(' ')} failed (${code})`;
  throw new PlainError(`${what}:\n${lastLines(`${stdout}\n${stderr}`, lines)}`);
}

/** The last lines of a text, for a message that has to stay short. @param {string} text @param {number} count */
export const lastLines = (text, count) => text.trimEnd().split('\n').slice(-count).join('\n');
