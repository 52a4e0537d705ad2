import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { sendSignal } from './alive.mjs';

/** How many of the last lines are kept for the message about a crash. */
const KEPT_LINES = 40;

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

/**
 * A program that runs until it is told to stop. It gets a process group of its own, so that Ctrl-C in the terminal
 * reaches us alone and we stop the programs in the right order.
 */
export class ChildServer {
  #options;
  #child;
  /** @type {string[]} */
  #lastLines = [];
  /** @type {Promise<string>} */
  #ended;
  /** @type {string | undefined} */
  #outcome;

  /**
   * @param {ChildServerOptions} options
   * @returns {Promise<ChildServer>}
   */
  static async start(options) {
    if (options.logFile) await mkdir(path.dirname(options.logFile), { recursive: true });
    return new ChildServer(options);
  }

  /** @param {ChildServerOptions} options */
  constructor(options) {
    this.#options = options;
    const { user } = options;
    this.#child = spawn(options.command, options.args, {
      env: options.env ?? process.env,
      cwd: options.cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      ...(user ? { uid: user.uid, gid: user.gid } : {}),
    });
    const log = options.logFile ? createWriteStream(options.logFile, { flags: 'a' }) : undefined;
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (log) stream.pipe(log, { end: false });
      this.#keepLastLines(stream);
    }
    this.#ended = new Promise((resolve) => {
      const finish = (/** @type {string} */ outcome) => {
        if (this.#outcome !== undefined) return;
        this.#outcome = outcome;
        if (this.#child.pid) options.guard.forget(this.#child.pid);
        log?.end();
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

  /**
   * @param {number} count
   * @returns {string[]} the last lines it printed
   */
  lastLines(count) {
    return this.#lastLines.slice(-count);
  }

  /**
   * Stops it and resolves when it is gone.
   * @param {NodeJS.Signals} signal the polite one
   * @param {number} graceMs how long it may take before SIGKILL
   */
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
