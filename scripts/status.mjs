// npm run status: what runs, whether it is ready, and the memory it uses. --json for programs, --data for another folder.
import { parseArgs } from 'node:util';
import { runCommand } from './plain-error.mjs';
import { columns } from './platform/addresses.mjs';
import { memoryOf } from './platform/memory.mjs';
import { dataFolder } from './platform/options.mjs';
import { get } from './platform/readiness.mjs';
import { isRunning, readRunState } from './platform/run-state.mjs';
import { isAlive } from './processes/alive.mjs';

/** @param {number | null | undefined} bytes */
const mebibytes = (bytes) => (bytes === null || bytes === undefined ? '-' : `${Math.round(bytes / 1024 / 1024)} MiB`);

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
  const programs = [...state.children, { name: 'supervisor', pid: state.supervisor, kind: 'supervisor' }];
  // The supervisor is the parent of them all: with what it has started it would count everything twice.
  const memory = await memoryOf(programs.map(({ pid, kind }) => ({ pid, alone: kind === 'supervisor' })));

  const report = await Promise.all(
    programs.map(async ({ name, pid, kind }) => {
      const service = addresses.services[name];
      const health = service
        ? (await get(`${service.operationsUrl}/readyz`)).status === 200
          ? 'ready'
          : 'not ready'
        : isAlive(pid)
          ? 'running'
          : 'gone';
      return { name, pid, kind, state: health, url: service?.url ?? '', ...memory.get(pid) };
    }),
  );
  const total = (/** @type {'resident' | 'peak' | 'proportional'} */ key, /** @type {string | undefined} */ kind) =>
    report.filter((row) => !kind || (row.kind === kind && row.url)).reduce((all, row) => all + (row[key] ?? 0), 0);
  const totals = {
    services: {
      resident: total('resident', 'services'),
      peak: total('peak', 'services'),
      proportional: total('proportional', 'services'),
    },
    everything: {
      resident: total('resident', undefined),
      peak: total('peak', undefined),
      proportional: total('proportional', undefined),
    },
  };
  if (values.json) {
    process.stdout.write(`${JSON.stringify({ running: true, ...state, programs: report, totals })}\n`);
    return 0;
  }
  const memoryCells = (/** @type {Partial<import('./platform/memory.mjs').Memory>} */ row) => [
    mebibytes(row.resident),
    mebibytes(row.peak),
    mebibytes(row.proportional),
  ];
  const rows = [
    ['program', 'process', 'state', 'address', 'resident', 'peak', 'proportional'],
    ...report.map((row) => [row.name, String(row.pid), row.state, row.url, ...memoryCells(row)]),
    ['services together', '', '', '', ...memoryCells(totals.services)],
    ['everything', '', '', '', ...memoryCells(totals.everything)],
  ];
  process.stdout.write(
    `Running since ${state.startedAt}, data in ${addresses.dataDir}\n\n${columns(rows).join('\n')}\n`,
  );
  return report.every((row) => row.state === 'ready' || row.state === 'running') ? 0 : 1;
});
