import { setTimeout as delay } from 'node:timers/promises';
import { CrashError, tellingLines } from './child-server.mjs';

/** @typedef {import('./child-server.mjs').ChildServer} ChildServer */

/** A program that ends more often than this within the window is not restarted again. */
export const MOST_CRASHES = 5;
export const CRASH_WINDOW_MS = 60_000;

const RESTART_AFTER_MS = 500;

/** @param {readonly number[]} times of crashes in milliseconds, the present one last */
export const keepsCrashing = (times) =>
  times.filter((time) => time > (times.at(-1) ?? 0) - CRASH_WINDOW_MS).length > MOST_CRASHES;

/** @typedef {object} KeptAliveOptions
 * @property {string} name
 * @property {() => Promise<ChildServer>} start starts the program; used again for every restart
 * @property {(crash: CrashError) => void} onRestart told about every crash that is answered with a restart
 * @property {(error: Error) => void} onGiveUp told once, when the program is not restarted any more
 * @property {() => void} onChange the process id has changed */

/** A program that is started again when it ends by itself, within the limits of the restart policy. */
export class KeptAlive {
  #options;
  /** @type {Promise<ChildServer> | undefined} */
  #starting;
  /** @type {ChildServer | undefined} */
  current;
  #stopping = new AbortController();
  /** Set when the platform has come up: until then a crash is a failed start, which is final. */
  restarts = false;
  /** @type {number[]} */
  #crashTimes = [];
  /** @type {Promise<void> | undefined} */
  #watching;

  /** @param {KeptAliveOptions} options */
  constructor(options) {
    this.#options = options;
    this.name = options.name;
  }

  async start() {
    this.#starting = this.#options.start();
    const child = await this.#starting;
    this.current = child;
    this.#options.onChange();
    this.#watching = this.#watch(child).catch(this.#options.onGiveUp);
    return child;
  }

  /** Resolves when it is gone and will not come back. @param {NodeJS.Signals} signal @param {number} graceMs */
  async stop(signal, graceMs) {
    this.#stopping.abort();
    // What is just being started is there to be stopped a moment later; anyone who waits for the start hears of a failure.
    await Promise.allSettled([this.#starting]);
    await this.current?.stop(signal, graceMs);
    await this.#watching;
    // It may have been on its way up again while it was told to stop.
    await this.current?.stop(signal, graceMs);
  }

  /** @param {ChildServer} child */
  async #watch(child) {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const outcome = await child.ended;
      if (signal.aborted) return;
      this.#crashTimes.push(Date.now());
      const crash = (/** @type {string} */ what, /** @type {number} */ count) =>
        new CrashError(this.name, `${what} (${outcome})`, tellingLines(child.lastLines(40), count));
      if (!this.restarts) throw crash('ended during the start', 10);
      if (keepsCrashing(this.#crashTimes)) throw crash(`keeps crashing, ${this.#crashTimes.length} times by now`, 10);
      this.#options.onRestart(crash('ended and is restarted', 3));
      await delay(RESTART_AFTER_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      child = await this.#options.start();
      this.current = child;
      this.#options.onChange();
    }
  }
}
