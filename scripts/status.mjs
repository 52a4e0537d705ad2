// npm run status: what runs, whether it is ready, and the memory it uses. --json for programs, --data for another folder.
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { runCommand } from './plain-error.mjs';
import { columns } from './platform/addresses.mjs';
import { dataFolder } from './platform/options.mjs';
import { isRunning, readRunState } from './platform/run-state.mjs';
import { get } from './processes/readiness.mjs';
import { isAlive, run } from './processes/run.mjs';

/** In bytes. Shared pages count in full for each process, but in `proportional` are divided among their users: these can be
 * added up. NaN for what only Linux says. @typedef {Record<'resident' | 'peak' | 'proportional', number>} Memory */

await runCommand(async () => {
  const { values } = parseArgs({ options: { data: { type: 'string' }, json: { type: 'boolean' } } });
  const state = await readRunState(dataFolder(values.data));
  if (!state || !(await isRunning(state))) {
    process.stdout.write(
      values.json ? `${JSON.stringify({ running: false })}\n` : "The platform isn't running. Start it: npm start\n",
    );
    return 1;
  }
  const { addresses } = state;
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,rss=']);
  const processes = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const programs = [...state.children, { name: 'supervisor', pid: state.supervisor }];
  const report = await Promise.all(
    programs.map(async ({ name, pid }) => {
      const service = addresses.services[name];
      const isUp = service ? (await get(`${service.operationsUrl}/readyz`)).status === 200 : isAlive(pid);
      const [up, down] = service ? ['ready', 'not ready'] : ['running', 'gone'];
      // A program with its children, as PostgreSQL has, but for the supervisor: it is the parent of all.
      const family = processes.filter(([id, parent]) => pid === id || (pid === parent && pid !== state.supervisor));
      const memory = await Promise.all(family.map(([id = 0, , kibibytes = 0]) => memoryOf(id, kibibytes)));
      return { name, pid, isUp, state: isUp ? up : down, url: service?.url ?? '', ...sumOf(memory) };
    }),
  );
  const totals = {
    services: sumOf(report.filter(({ url }) => url)),
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

/** @param {number} pid @param {number} residentKiB @returns {Promise<Memory>} */
async function memoryOf(pid, residentKiB) {
  const read = (/** @type {string} */ file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
  const [status, rollup] = [await read('status'), await read('smaps_rollup')];
  // It has ended since it was listed.
  if (status === '' && process.platform === 'linux') return { resident: 0, peak: 0, proportional: 0 };
  const bytes = (/** @type {string} */ text, /** @type {RegExp} */ pattern) =>
    Number(pattern.exec(text)?.[1] ?? Number.NaN) * 1024;
  return {
    resident: residentKiB * 1024,
    peak: bytes(status, /VmHWM:\s+(\d+)/),
    proportional: bytes(rollup, /^Pss:\s+(\d+)/m),
  };
}
