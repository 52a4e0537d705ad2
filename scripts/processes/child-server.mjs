import { spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { sendSignal } from './alive.mjs';

/** How many of the last lines are kept: for the message about a crash, and as what a short program has printed. */
const KEPT_LINES = 400;
/** Bytes at the end of a log file that are read for them. */
const READ_BYTES = 64 * 1024;

/**
 * @typedef {object} ChildServerOptions
 * @property {string} name shown to people
 * @property {string} command
 * @property {readonly string[]} args
 * @property {NodeJS.ProcessEnv} [env] default: the environment of this process
 * @property {string} [cwd]
 * @property {import('../servers/unprivileged-user.mjs').UnixUser} [user] run as this user
 * @property {string} [logFile] standard output and error are appended to it
 * @property {import('./guard.mjs').Guard} guard ends it if this process dies
 * @property {'services' | 'servers'} kind
 */

/** A program that runs until it is told to stop. It gets a process group of its own, so that Ctrl-C in the terminal
 * reaches us alone and we stop the programs in the right order. */
export class ChildServer {
  #options;
  #child;
  /** @type {string[]} */
  #lastLines = [];
  /** @type {Promise<string>} */
  #ended;
  /** @type {string | undefined} */
  #outcome;

  /** Of the log file when the program was started: what is before is of an earlier run. */
  #logStart = 0;

  /** @param {ChildServerOptions} options */
  static async start(options) {
    return new ChildServer(options);
  }

  /** @param {ChildServerOptions} options */
  constructor(options) {
    this.#options = options;
    const { user } = options;
    // The program writes into the file by itself: what it prints costs us nothing, and is there when we are gone.
    const log = options.logFile === undefined ? undefined : openLog(options.logFile);
    if (log !== undefined) this.#logStart = fstatSync(log).size;
    this.#child = spawn(options.command, options.args, {
      env: options.env ?? process.env,
      cwd: options.cwd,
      stdio: ['ignore', log ?? 'pipe', log ?? 'pipe'],
      detached: true,
      ...(user ? { uid: user.uid, gid: user.gid } : {}),
    });
    if (log !== undefined) closeSync(log);
    for (const stream of [this.#child.stdout, this.#child.stderr]) if (stream) this.#keepLastLines(stream);
    this.#ended = new Promise((resolve) => {
      const finish = (/** @type {string} */ outcome) => {
        if (this.#outcome !== undefined) return;
        this.#outcome = outcome;
        if (this.#child.pid) options.guard.forget(this.#child.pid);
        resolve(outcome);
      };
      this.#child.once('error', (error) => finish(error.message));
      this.#child.once('close', (code, signal) => finish(signal ? `signal ${signal}` : `exit code ${code}`));
    });
    if (this.#child.pid) options.guard.watch(this.#child.pid, options.kind);
  }

  get name() {
    return this.#options.name;
  }

  /** @returns {number | undefined} undefined when the program could not be started */
  get pid() {
    return this.#child.pid;
  }

  /** @returns {Promise<string>} how it ended: `exit code 1`, `signal SIGKILL` or why it could not start. Never rejects. */
  get ended() {
    return this.#ended;
  }

  /** @returns {string | undefined} how it ended; undefined while it runs */
  get outcome() {
    return this.#outcome;
  }

  /** @param {number} count @returns {string[]} the last lines it printed, of some 40 */
  lastLines(count) {
    const { logFile } = this.#options;
    return (logFile === undefined ? this.#lastLines : linesAtEnd(logFile, this.#logStart)).slice(-count);
  }

  /** Stops it and resolves when it is gone.
   * @param {NodeJS.Signals} signal the polite one @param {number} graceMs how long it may take before SIGKILL */
  async stop(signal, graceMs) {
    if (this.#outcome !== undefined || !this.#child.pid) return;
    const { pid } = this.#child;
    sendSignal(pid, signal);
    const killer = setTimeout(() => sendSignal(pid, 'SIGKILL'), graceMs);
    await this.#ended;
    clearTimeout(killer);
  }

  /** Stops it at once. */
  kill() {
    if (this.#outcome === undefined && this.#child.pid) sendSignal(this.#child.pid, 'SIGKILL');
  }

  /** @param {import('node:stream').Readable} stream */
  #keepLastLines(stream) {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    stream.on('data', (chunk) => {
      const lines = (rest + decoder.write(chunk)).split('\n');
      rest = lines.pop() ?? '';
      this.#lastLines.push(...lines.filter((line) => line.trim() !== ''));
      if (this.#lastLines.length > KEPT_LINES) this.#lastLines.splice(0, this.#lastLines.length - KEPT_LINES);
    });
  }
}

/** @param {string} file @returns {number} its descriptor, for appending */
function openLog(file) {
  mkdirSync(path.dirname(file), { recursive: true });
  return openSync(file, 'a');
}

/** @param {string} file @param {number} start bytes to leave out at the beginning
 * @returns {string[]} the last lines that are not empty */
function linesAtEnd(file, start) {
  const log = openSync(file, 'r');
  try {
    const { size } = fstatSync(log);
    const from = Math.max(start, size - READ_BYTES);
    const bytes = Buffer.alloc(Math.max(0, size - from));
    const read = readSync(log, bytes, 0, bytes.length, from);
    const lines = bytes.toString('utf8', 0, read).split('\n');
    // Where the reading begins in the middle of a file it begins in the middle of a line.
    if (from > start) lines.shift();
    return lines.filter((line) => line.trim() !== '').slice(-KEPT_LINES);
  } finally {
    closeSync(log);
  }
}
