import { spawn } from 'node:child_process';
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { PlainError } from '../plain-error.mjs';
import { sendSignal } from './run.mjs';

/** How many of the last lines are kept: for the message about a crash, and as what a short program has printed. */
const KEPT_LINES = 400;
/** Bytes at the end of a log that have them. */
const READ_BYTES = 64 * 1024;
/** What PostgreSQL, NATS and Node say of ENOSPC and EDQUOT. */
const NO_SPACE = /no space left on device|disk quota exceeded/i;
/** Bytes below which a server cannot start. On a full disk its log can lack the line that says so. */
const MIN_FREE_BYTES = 32 * 1024 * 1024;
/** Logs name workspaces and people: nobody else on the machine reads them. */
const LOG_MODE = 0o640;

/** @typedef {object} ChildServerOptions
 * @property {string} name shown to people
 * @property {string} command
 * @property {readonly string[]} args
 * @property {NodeJS.ProcessEnv} [env] default: the environment of this process
 * @property {string} [cwd]
 * @property {import('../servers/unprivileged-user.mjs').UnixUser} [user] run as this user
 * @property {string} [logFile] standard output and error are appended to it
 * @property {import('./guard.mjs').Guard} guard ends it if this process dies */

/** A program that runs until it is told to stop. It gets a process group of its own, so that Ctrl-C in the terminal
 * reaches us alone and we stop the programs in the right order. */
export class ChildServer {
  #options;
  #child;
  /** @type {string[]} */
  #lastLines = [];
  /** Bytes of the log file when the program was started: what is before is of an earlier run. */
  #logStart = 0;
  /** How it ended: `exit code 1`, `signal SIGKILL` or why it could not start; undefined while it runs. @type {string | undefined} */
  outcome;
  /** Its outcome. Never rejects. @type {Promise<string>} */
  ended;

  /** @param {ChildServerOptions} options */
  static async start(options) {
    return new ChildServer(options);
  }

  /** @param {ChildServerOptions} options */
  constructor(options) {
    this.#options = options;
    this.name = options.name;
    const { user, logFile } = options;
    if (logFile !== undefined) mkdirSync(path.dirname(logFile), { recursive: true });
    // The program writes into the file by itself: what it prints costs us nothing, and is there when we are gone.
    const log = logFile === undefined ? undefined : openSync(logFile, 'a', LOG_MODE);
    if (log !== undefined) this.#logStart = fstatSync(log).size;
    this.#child = spawn(options.command, options.args, {
      env: options.env ?? process.env,
      cwd: options.cwd,
      stdio: ['ignore', log ?? 'pipe', log ?? 'pipe'],
      detached: true,
      ...(user ? { uid: user.uid, gid: user.gid } : {}),
    });
    if (log !== undefined) closeSync(log);
    for (const input of [this.#child.stdout, this.#child.stderr]) {
      if (input) createInterface({ input }).on('line', (line) => this.#keep(line));
    }
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (error) => resolve(error.message));
      this.#child.once('close', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
    });
    const { pid } = this.#child;
    if (pid) options.guard.watch(pid);
    void this.ended.then((outcome) => {
      this.outcome = outcome;
      if (pid) options.guard.forget(pid);
    });
  }

  /** @returns {number | undefined} undefined when the program could not be started */
  get pid() {
    return this.#child.pid;
  }

  /** @param {number} count @returns {string[]} the last lines it printed that are not empty */
  lastLines(count) {
    const { logFile } = this.#options;
    if (logFile === undefined) return this.#lastLines.slice(-count);
    const log = openSync(logFile, 'r');
    try {
      // Its end is enough: a log grows for as long as the platform runs.
      const { size } = fstatSync(log);
      const bytes = Buffer.alloc(Math.min(READ_BYTES, size - this.#logStart));
      readSync(log, bytes, 0, bytes.length, size - bytes.length);
      const lines = bytes.toString('utf8').split('\n');
      return lines.filter((line) => line.trim() !== '').slice(-Math.min(count, KEPT_LINES));
    } finally {
      closeSync(log);
    }
  }

  /** Stops it and resolves when it is gone.
   * @param {NodeJS.Signals} signal the polite one @param {number} graceMs how long it may take before SIGKILL */
  async stop(signal, graceMs) {
    if (this.outcome !== undefined || !this.#child.pid) return;
    const { pid } = this.#child;
    sendSignal(pid, signal);
    const killer = setTimeout(() => sendSignal(pid, 'SIGKILL'), graceMs);
    await this.ended;
    clearTimeout(killer);
  }

  /** @param {() => Promise<boolean>} isReady @param {number} timeoutMs @param {() => string} [seen] tells what was seen last
   * @throws {CrashError} when it ends before, or takes longer */
  async untilReady(isReady, timeoutMs, seen) {
    for (const deadline = Date.now() + timeoutMs; ; await delay(25)) {
      const isUp = await isReady();
      const crash = (/** @type {string} */ what, /** @type {string[]} */ last = []) =>
        new CrashError(this.name, what, [...last, ...tellingLines(this.lastLines(40), 8)]);
      // Also where something answers: another program may have its address.
      if (this.outcome !== undefined) throw crash(`ended during the start: ${this.outcome}`);
      if (isUp) return;
      if (Date.now() > deadline) throw crash(`is not ready after ${timeoutMs / 1000} s`, seen && [seen()]);
    }
  }

  /** Why a server does not come up on its data: the lines of its log that match, or else the last ones.
   * @param {{ dataDir: string, port: number }} place @param {RegExp} telling @param {number} [free] bytes on its disk */
  startError({ dataDir, port }, telling, free = freeBytes(dataDir)) {
    const { name, logFile } = this.#options;
    const lines = this.lastLines(20);
    const reasons = lines.filter((line) => telling.test(line));
    const shown = [...(reasons.length > 0 ? reasons : lines), `(${this.outcome ?? 'not ready in time'})`];
    const advice =
      free < MIN_FREE_BYTES || lines.some((line) => NO_SPACE.test(line))
        ? 'The disk is full: free some space and start again. The data is kept, so do not delete it.'
        : 'If the folder is damaged, "npm run reset" deletes all development data and the next start begins afresh.';
    return new PlainError(
      `${name} does not start on ${dataDir} (port ${port}):\n${shown.map((line) => `  ${line}`).join('\n')}\n` +
        (logFile ? `Its log: ${logFile}\n` : '') +
        advice,
    );
  }

  /** Stops it at once. */
  kill() {
    if (this.outcome === undefined && this.#child.pid) sendSignal(this.#child.pid, 'SIGKILL');
  }

  /** @param {string} line */
  #keep(line) {
    if (line.trim() !== '' && this.#lastLines.push(line) > KEPT_LINES) this.#lastLines.shift();
  }
}

/** @param {string} folder which may not exist yet @returns {number} */
function freeBytes(folder) {
  const { bavail, bsize } = statfsSync(existsSync(folder) ? folder : path.dirname(folder));
  return bavail * bsize;
}

/** The last lines without the frames of stack traces, which would push the message out of a short excerpt.
 * @param {readonly string[]} lines @param {number} count */
export const tellingLines = (lines, count) => lines.filter((line) => !/^\s+at /.test(line)).slice(-count);

/** A program ended by itself, or did not become ready. */
export class CrashError extends Error {
  /** @param {string} program @param {string} what @param {readonly string[]} lines the last ones it printed */
  constructor(program, what, lines) {
    super(`${program} ${what}`);
    this.name = 'CrashError';
    this.program = program;
    this.lines = lines;
  }
}
