// npm run status: what runs, whether it is ready, and the memory it uses. --json for programs, --data for another folder.
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { runCommand } from './plain-error.mjs';
import { columns } from './platform/addresses.mjs';
import { dataFolder } from './platform/options.mjs';
import { isRunning, readRunState } from './platform/run-state.mjs';
import { get } from './processes/readiness.mjs';
import { isAlive, run } from './processes/run.mjs';

/** Memory of programs, in bytes.
 * @typedef {object} Memory
 * @property {number} resident what is in memory now, shared pages counted in full for each process
 * @property {number} peak the most that was resident; NaN but on Linux
 * @property {number} proportional resident with shared pages divided among their users: the one that can be added up;
 *   NaN but on Linux */

await runCommand(async () => {
  const { values } = parseArgs({ options: { data: { type: 'string' }, json: { type: 'boolean' } } });
  const state = await readRunState(dataFolder(values.data));
  if (!state || !(await isRunning(state))) {
    process.stdout.write(
      values.json ? `${JSON.stringify({ running: false })}\n` : 'Nothing runs. Start it: npm start\n',
    );
    return 1;
  }
  const { addresses } = state;
  const processes = await allProcesses();
  const programs = [...state.children, { name: 'supervisor', pid: state.supervisor, kind: 'supervisor' }];
  const report = await Promise.all(
    programs.map(async ({ name, pid, kind }) => {
      const service = addresses.services[name];
      const isUp = service ? (await get(`${service.operationsUrl}/readyz`)).status === 200 : isAlive(pid);
      const [up, down] = service ? ['ready', 'not ready'] : ['running', 'gone'];
      // The supervisor is the parent of them all: with what it has started it would count everything twice.
      const family = kind === 'supervisor' ? [pid] : withDescendants(pid, processes);
      const memory = await Promise.all(family.map((one) => memoryOf(one, processes.get(one)?.residentKiB ?? 0)));
      return { name, pid, kind, isUp, state: isUp ? up : down, url: service?.url ?? '', ...sumOf(memory) };
    }),
  );
  const totals = {
    services: sumOf(report.filter(({ kind, url }) => kind === 'services' && url)),
    everything: sumOf(report),
  };
  if (values.json) {
    process.stdout.write(`${JSON.stringify({ running: true, ...state, programs: report, totals })}\n`);
    return 0;
  }
  const memoryCells = (/** @type {Memory} */ { resident, peak, proportional }) =>
    [resident, peak, proportional].map((bytes) =>
      Number.isNaN(bytes) ? '-' : `${Math.round(bytes / 1024 / 1024)} MiB`,
    );
  const rows = [
    ['program', 'process', 'state', 'address', 'resident', 'peak', 'proportional'],
    ...report.map((row) => [row.name, String(row.pid), row.state, row.url, ...memoryCells(row)]),
    ['services together', '', '', '', ...memoryCells(totals.services)],
    ['everything', '', '', '', ...memoryCells(totals.everything)],
  ];
  process.stdout.write(
    `Running since ${state.startedAt}, data in ${addresses.dataDir}\n\n${columns(rows).join('\n')}\n`,
  );
  return report.every(({ isUp }) => isUp) ? 0 : 1;
});

/** @param {readonly Memory[]} all @returns {Memory} */
function sumOf(all) {
  const sum = (/** @type {keyof Memory} */ key) => all.reduce((total, one) => total + one[key], 0);
  return { resident: sum('resident'), peak: sum('peak'), proportional: sum('proportional') };
}

/** @returns {Promise<Map<number, { parent: number, residentKiB: number }>>} of the machine */
async function allProcesses() {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,rss=']);
  const rows = stdout.trim().split('\n');
  const numbers = rows.map((line) => line.trim().split(/\s+/).map(Number));
  return new Map(numbers.map(([pid = 0, parent = 0, residentKiB = 0]) => [pid, { parent, residentKiB }]));
}

/** @param {number} pid @param {Map<number, { parent: number }>} processes @returns {number[]} */
function withDescendants(pid, processes) {
  const children = [...processes].filter(([, { parent }]) => parent === pid);
  return [pid, ...children.flatMap(([child]) => withDescendants(child, processes))];
}

/** @param {number} pid @param {number} residentKiB @returns {Promise<Memory>} */
async function memoryOf(pid, residentKiB) {
  const bytes = async (/** @type {string} */ file, /** @type {RegExp} */ pattern) => {
    const text = await readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
    return Number(pattern.exec(text)?.[1] ?? Number.NaN) * 1024;
  };
  return {
    resident: residentKiB * 1024,
    peak: await bytes('status', /VmHWM:\s+(\d+)/),
    proportional: await bytes('smaps_rollup', /^Pss:\s+(\d+)/m),
  };
}
