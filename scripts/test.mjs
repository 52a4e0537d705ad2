// npm test: everything that must hold before a change is merged. npm test -- --help lists the options.
// The last line is `N passed, N failed`; the exit code is 0 only when nothing failed.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PlainError, runCommand } from './plain-error.mjs';
import { columns } from './platform/addresses.mjs';
import { runInForeground } from './processes/foreground.mjs';
import { inRoot, ROOT } from './root.mjs';
import { startThrowawayServers } from './servers/throwaway.mjs';
import { buildPackages } from './setup/build.mjs';
import { installPackages } from './setup/install.mjs';
import { requireNodeVersion } from './setup/node-version.mjs';
import { Progress } from './setup/progress.mjs';
import { CHECKS } from './testing/checks.mjs';
import { runJest } from './testing/jest.mjs';
import { memoryFolder } from './testing/memory-folder.mjs';
import { Tally } from './testing/tally.mjs';

const USAGE = `npm test -- [options] [path …]
  path         run the tests below these paths alone, without the checks (apps/custom-objects, libs/formula, e2e)
  --deep       the long fuzz, soak and fault runs instead of the short ones
  --update     write the snapshots (plans of SQL statements) that have changed; look at the difference before you commit it
  --coverage   write the coverage of unit and service tests to coverage/
  --help`;

/** One more than cores where continuous integration runs: every other moment a suite waits for a server or a timer. */
const WORKERS = 3;

/** They bring servers of their own, which they kill; the other end-to-end tests share a platform. */
const FAULTS = 'e2e/faults';
const BACKUP = 'e2e/backup';

let interrupted = false;
process.on('SIGINT', () => {
  interrupted = true;
});

/**
 * @param {Tally} tally
 * @param {string} name
 * @param {() => Promise<{ passed: number, failed: number, skipped?: number }>} work
 */
async function part(tally, name, work) {
  if (interrupted) return;
  process.stdout.write(`\n== ${name}\n`);
  const begun = performance.now();
  const counts = await work();
  tally.add(name, counts, (performance.now() - begun) / 1000);
}

/**
 * @param {string} path as it was given on the command line
 * @param {string} folder
 * @returns {boolean} whether it is the folder or in it
 */
const isIn = (path, folder) => `${resolve(ROOT, path)}/`.startsWith(`${resolve(ROOT, folder)}/`);

/** @param {string} path of what shares a platform */
const isEndToEnd = (path) => isIn(path, 'e2e') && !isIn(path, FAULTS) && !isIn(path, BACKUP);

/** @param {readonly string[]} paths */
const hasEndToEnd = (paths) => paths.some((path) => isEndToEnd(path) || isIn('e2e', path));

/**
 * @param {readonly string[]} paths
 * @param {string} folder whose configuration of Jest is used
 * @param {NodeJS.ProcessEnv} environment
 */
const runOneByOne = (paths, folder, environment) =>
  runJest(
    [
      `--config=${inRoot(folder, 'jest.config.mjs')}`,
      '--runInBand',
      // A suite whose preparation failed may leave servers open, which would keep the process for ever.
      '--forceExit',
      ...paths.filter((path) => resolve(ROOT, path) !== resolve(ROOT, folder)),
    ],
    environment,
  );

/**
 * @param {Tally} tally
 * @param {{ paths: readonly string[], coverage: boolean, update: boolean, environment: NodeJS.ProcessEnv }} options
 */
async function runTests(tally, { paths, coverage, update, environment }) {
  const ofPackages = paths.filter((path) => !isIn(path, 'e2e'));
  if (paths.length === 0 || ofPackages.length > 0) {
    const coverageOptions = coverage ? ['--coverage', '--coverageDirectory=coverage'] : [];
    await part(tally, 'unit and service tests', () =>
      // Without --update a snapshot that is not committed fails, as one that differs does.
      runJest(
        [`--maxWorkers=${WORKERS}`, update ? '--updateSnapshot' : '--ci', ...coverageOptions, ...ofPackages],
        environment,
      ),
    );
  }
  const ofFaults = paths.filter((path) => isIn(path, FAULTS));
  const ofBackup = paths.filter((path) => isIn(path, BACKUP));
  const hasAll = paths.length === 0 || paths.some((path) => isIn('e2e', path));
  if (paths.length === 0 || hasEndToEnd(paths)) {
    await part(tally, 'end-to-end tests', () => runOneByOne(paths.filter(isEndToEnd), 'e2e', environment));
  }
  if (hasAll || ofBackup.length > 0) {
    await part(tally, 'backup and restore', () => runOneByOne(ofBackup, BACKUP, environment));
  }
  if (hasAll || ofFaults.length > 0) {
    await part(tally, 'fault tests', () => runOneByOne(ofFaults, FAULTS, environment));
  }
}

await runCommand(async () => {
  requireNodeVersion();
  const { values, positionals: paths } = parseArgs({
    allowPositionals: true,
    options: {
      deep: { type: 'boolean' },
      coverage: { type: 'boolean' },
      update: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const tally = new Tally();
  try {
    await prepareAndTest(tally, {
      paths,
      deep: values.deep ?? false,
      coverage: values.coverage ?? false,
      update: values.update ?? false,
    });
  } catch (error) {
    // What keeps the tests from running is a failure like any other: the closing line is printed all the same.
    tally.add('set-up', { passed: 0, failed: 1 }, 0);
    const text = error instanceof PlainError ? error.message : error instanceof Error ? error.stack : String(error);
    process.stderr.write(`\n${text}\n`);
  }
  process.stdout.write(`\n${columns(tally.rows()).join('\n')}\n\n${tally.closingLine()}\n`);
  return tally.failed === 0 && tally.passed > 0 ? 0 : 1;
});

/** Every test of a page would fail without one, after minutes. */
async function tryBrowser() {
  const { startBrowser } = await import('../e2e/embed/browser.mjs');
  await (await startBrowser({})).close();
}

/**
 * @param {Tally} tally
 * @param {{ paths: readonly string[], deep: boolean, coverage: boolean, update: boolean }} options
 */
async function prepareAndTest(tally, { paths, deep, coverage, update }) {
  const needsBrowser = paths.length === 0 || hasEndToEnd(paths);
  const progress = new Progress(needsBrowser ? 4 : 3);
  await progress.step('Installing packages', async (note) => note(await installPackages()));
  if (needsBrowser) await progress.step('Trying the browser', tryBrowser);
  const begun = performance.now();
  await progress.step('Building', async (note) => note(await buildPackages()));
  tally.add('build', { passed: 1, failed: 0 }, (performance.now() - begun) / 1000);
  // The long runs write more than there may be room for. Whoever has chosen a folder has chosen.
  const memory = deep || process.env.TMPDIR ? undefined : await memoryFolder();
  if (memory) process.env.TMPDIR = memory.path;
  const servers = await progress.step('Starting throwaway PostgreSQL and NATS', () => startThrowawayServers());
  try {
    for (const { name, command, args } of paths.length > 0 ? [] : CHECKS) {
      await part(tally, name, async () => {
        const passes = (await runInForeground(command, args, { cwd: ROOT })) === 0;
        return { passed: passes ? 1 : 0, failed: passes ? 0 : 1 };
      });
    }
    const environment = { ...servers.environment, ...(deep ? { DEEP: '1' } : {}) };
    await runTests(tally, { paths, coverage, update, environment });
  } finally {
    await servers.stop();
    await memory?.remove();
  }
  if (interrupted) throw new PlainError('Interrupted; the servers are stopped.');
}
