import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PlainError } from '../plain-error.mjs';
import { commandLineOf, isAlive } from '../processes/run.mjs';
import { dataFolder } from './options.mjs';

/** @typedef {{ name: string, pid: number }} RunningChild */

/** What is known about a running platform, for `status`, `stop`, the demo and the tests. Holds a database password:
 * mode 0600.
 * @typedef {object} RunState
 * @property {number} supervisor process id
 * @property {string} startedAt RFC 3339
 * @property {boolean} ready
 * @property {import('./addresses.mjs').Addresses} addresses
 * @property {RunningChild[]} children */

/** What the detached start sends to the command that waits for it. @typedef {{ text?: string, ready?: string, failed?: string }} Message */

/** The guard gives programs ten seconds to end, twice. */
const LEFTOVERS_MS = 25_000;

/** @param {string} dataDir */
const stateFile = (dataDir) => path.join(dataDir, 'run.json');

/** What the command line of a supervisor contains. */
const SUPERVISOR_COMMAND = 'scripts/start.mjs';

/** @param {string} dataDir @returns {Promise<RunState | undefined>} undefined when nothing was left there */
export async function readRunState(dataDir) {
  const text = await readFile(stateFile(dataDir), 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  try {
    return text ? JSON.parse(text) : undefined;
  } catch {
    // Cut by a power failure: nothing in it can be trusted.
    return undefined;
  }
}

/** @param {string} dataDir @param {RunState} state */
export async function writeRunState(dataDir, state) {
  const file = stateFile(dataDir);
  await mkdir(dataDir, { recursive: true });
  await writeFile(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** @param {string} dataDir */
export const removeRunState = (dataDir) => rm(stateFile(dataDir), { force: true });

/** @param {RunState | undefined} state @returns {Promise<boolean>} whether the supervisor of that state still runs */
export async function isRunning(state) {
  if (!state || !isAlive(state.supervisor)) return false;
  return (await commandLineOf(state.supervisor)).includes(SUPERVISOR_COMMAND);
}

/** Waits for what a killed supervisor left: its guard ends that within some seconds.
 * @param {RunState} state @throws {PlainError} when something goes on */
export async function leftoversEnded({ children }) {
  const alive = () => children.filter(({ pid }) => isAlive(pid));
  for (const deadline = Date.now() + LEFTOVERS_MS; alive().length > 0 && Date.now() < deadline; ) await delay(100);
  const left = alive().map(({ name, pid }) => `${name} (process ${pid})`);
  if (left.length > 0) throw new PlainError(`The start before was killed, and of it still run: ${left.join(', ')}`);
}

/** The platform of a data folder, which must be ready. @param {string | undefined} data @param {string} [otherwise] what else helps */
export async function requireRunning(data, otherwise = '') {
  const state = await readRunState(dataFolder(data));
  if (state?.ready && (await isRunning(state))) return state;
  const hint = 'Start it with npm start (or npm start -- --detach) and try again';
  throw new PlainError(`The platform does not run. ${hint}${otherwise}.`);
}
