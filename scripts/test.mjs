// npm test: everything that must hold before a change is merged. npm test -- --help lists the options.
// The last line is `N passed, N failed`; the exit code is 0 only when nothing failed.
import os from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PlainError, runCommand } from './plain-error.mjs';
import { run, runOrFail } from './processes/run.mjs';
import { inRoot, ROOT } from './root.mjs';
import { startThrowawayServers } from './servers/throwaway.mjs';
import { nodeProgram } from './setup/node.mjs';
import { buildPackages, installPackages } from './setup/packages.mjs';
import { Progress } from './setup/progress.mjs';
import { runChecks } from './testing/checks.mjs';
import { runJest } from './testing/jest.mjs';
import { folderForTests } from './testing/memory-folder.mjs';
import { DEEP_ON_CITUS, ON_CITUS } from './testing/on-citus.mjs';
import { Tally } from './testing/tally.mjs';

const USAGE = `npm run check            while you work: types, lint, import rules, and the unit and service tests that a change since the last commit can break
npm test -- <path>       one part, as often as you like
npm test                 before you commit: everything but what kills servers or needs a cluster
npm test -- --all        what CI runs, with --citus where there is a cluster
npm run test:deep        before a release: hours

npm test -- [options] [path …]
  path         run the tests below these paths alone, without the checks (apps/custom-objects, libs/formula, e2e)
  --all        also what CI runs: faults, backup, every odd request and the upgrade (files named .all.spec.ts)
  --deep       the long fuzz, soak and fault runs instead of the short ones; includes --all
  --update     write the snapshots (plans of SQL statements, schemas) that have changed; look at the difference before you commit it
  --coverage   write the coverage of unit and service tests to coverage/
  --citus      also on a Citus cluster: start one for the run, with the lab beside the project
  --help
Environment: CITUS_URL, the coordinator of a Citus cluster that is used instead of one that --citus starts.
On a cluster the tests of scripts/testing/on-citus.mjs run too, more of them with --deep; with paths, these run there alone.`;

/** Workers of one row of tests; another runs beside it. More than cores, because a suite often waits for a server or a timer. */
const WORKERS = 2;

const FLAG = /** @type {const} */ ({ type: 'boolean', default: false });

let interrupted = false;
process.on('SIGINT', () => {
  interrupted = true;
});

/** @param {Tally} tally @param {string} name
 * @param {() => Promise<{ passed: number, failed: number, skipped?: number }>} work */
async function part(tally, name, work) {
  if (interrupted) return;
  process.stdout.write(`\n== ${name}\n`);
  const begun = performance.now();
  tally.add(name, await work(), begun);
}

/** What a check has printed is shown when it has ended: they run beside the tests, which wait for servers every other moment.
 * @type {Parameters<typeof runChecks>[1]} */
async function runCheck(name, command, args, options) {
  if (interrupted) return 1;
  const { code, stdout, stderr } = await run(command, args, options);
  process.stdout.write(`\n== ${name}\n${stdout}${stderr}`);
  return code;
}

/** @param {string} path as it was given on the command line @param {string} folder
 * @returns {boolean} whether it is the folder or in it */
const isIn = (path, folder) => `${resolve(ROOT, path)}/`.startsWith(`${resolve(ROOT, folder)}/`);

/** Waits for all, also where one fails. @param {readonly unknown[]} promises @throws what the first of them failed with */
async function allEnded(promises) {
  for (const outcome of await Promise.allSettled(promises)) if (outcome.status === 'rejected') throw outcome.reason;
}

/** @param {Tally} tally
 * @param {{ paths: readonly string[], coverage: boolean, update: boolean, environment: NodeJS.ProcessEnv, checks?: Promise<void>, onCitus?: () => Promise<void> }} options */
async function runTests(tally, { paths, coverage, update, environment, checks, onCitus }) {
  const where = environment.CITUS_URL ? ' on Citus' : '';
  const unitTests = (/** @type {readonly string[]} */ ...chosen) => {
    const coverageOptions = coverage ? ['--coverage', '--coverageDirectory=coverage'] : [];
    // Without --update a snapshot that is not committed fails, as one that differs does.
    const args = [`--maxWorkers=${WORKERS}`, update ? '--updateSnapshot' : '--ci', ...coverageOptions, ...chosen];
    return part(tally, `unit and service tests${where}`, () => runJest(args, environment));
  };
  // A suite whose preparation failed may leave servers open, which would keep the process for ever.
  const options = [`--config=${inRoot('e2e', 'jest.config.mjs')}`, '--forceExit'];
  const endToEnd = (/** @type {number} */ workers, /** @type {readonly string[]} */ chosen, added = {}) =>
    runJest([...options, `--maxWorkers=${workers}`, ...chosen], { ...environment, ...added });
  if (paths.length === 0) {
    const ofProject = (/** @type {string} */ title, /** @type {string} */ name, workers = 1, added = {}) =>
      part(tally, title, () => endToEnd(workers, ['--selectProjects', name], added));
    const onOnePlatform = async () => {
      await unitTests();
      // The test of traces is among those that run alone.
      await ofProject('end-to-end tests', 'platform', WORKERS, { E2E_UNTRACED: '1' });
    };
    // Beside it what waits for timers and servers every other moment, so that both cores have something to do to the end.
    const others = async () => {
      await checks;
      await ofProject('end-to-end tests with own servers', 'own servers', 2);
      await ofProject('end-to-end tests alone on a platform', 'alone');
      await onCitus?.();
    };
    await allEnded([onOnePlatform(), others()]);
    return;
  }
  const [ofPackages, ofEndToEnd] = [false, true].map((are) => paths.filter((path) => isIn(path, 'e2e') === are));
  if (ofPackages?.length) await unitTests(...ofPackages);
  if (ofEndToEnd?.length) await part(tally, `end-to-end tests${where}`, () => endToEnd(WORKERS, ofEndToEnd));
}

/** @param {Tally} tally @param {Parameters<typeof runTests>[1]} options @param {string} url of the coordinator */
async function runTestsOnCitus(tally, { environment, ...options }, url) {
  const ofCitus = new Tally(tally);
  await runTests(ofCitus, { ...options, environment: { ...environment, CITUS_URL: url } });
  process.stdout.write(`\nCitus: ${ofCitus.passed + ofCitus.failed} tests\n`);
}

/** Every test of a page would fail without one, after minutes. @param {boolean} deep */
async function tryBrowsers(deep) {
  for (const name of ['browser.mjs', ...(deep ? ['firefox.mjs'] : [])]) {
    await runOrFail(nodeProgram(), [inRoot('e2e', 'embed', name)], {
      failure: 'A browser for the tests of pages does not start',
      lines: 30,
    });
  }
}

await runCommand(async () => {
  const { values, positionals: paths } = parseArgs({
    allowPositionals: true,
    options: { all: FLAG, deep: FLAG, coverage: FLAG, update: FLAG, citus: FLAG, help: FLAG },
  });
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const tally = new Tally();
  try {
    await prepareAndTest(tally, { ...values, all: values.all || values.deep, paths });
  } catch (error) {
    // What keeps the tests from running is a failure like any other: the closing line is printed all the same.
    tally.add('set-up', { passed: 0, failed: 1 }, performance.now());
    const text = error instanceof PlainError ? error.message : error instanceof Error ? error.stack : String(error);
    process.stderr.write(`\n${text}\n`);
  }
  process.stdout.write(tally.report());
  return tally.failed === 0 && tally.passed > 0 ? 0 : 1;
});

/** @param {Tally} tally @param {{ paths: readonly string[], all: boolean, deep: boolean, coverage: boolean, update: boolean, citus: boolean }} options */
async function prepareAndTest(tally, { paths, all, deep, coverage, update, citus }) {
  const needsBrowser = paths.length === 0 || paths.some((path) => isIn(path, 'e2e'));
  const progress = new Progress(3 + Number(needsBrowser) + Number(citus));
  await progress.step('Installing packages', installPackages);
  // The long runs write more than memory may hold. A folder that was chosen stays.
  const place = deep || process.env.TMPDIR ? undefined : await folderForTests();
  // Tried and started beside the build; what fails is told after it.
  const browser = needsBrowser ? tryBrowsers(deep) : undefined;
  const cluster = citus ? startCluster(place) : undefined;
  for (const started of [browser, cluster]) started?.catch(() => undefined);
  /** @type {Awaited<ReturnType<typeof startThrowawayServers>> | undefined} */
  let servers;
  try {
    const begun = performance.now();
    await progress.step('Building', () => buildPackages());
    tally.add('build', { passed: 1, failed: 0 }, begun);
    if (browser) await progress.step('Trying the browsers', async () => void (await browser));
    servers = await progress.step('Starting throwaway PostgreSQL and NATS', () => startThrowawayServers(place));
    const citusUrl = cluster
      ? await progress.step('Starting Citus', async () => (await cluster).url)
      : await givenCluster(process.env.CITUS_URL);
    process.env.TMPDIR = servers.folder;
    delete process.env.CITUS_URL;
    const checks = paths.length === 0 ? runChecks(tally, runCheck) : undefined;
    const environment = {
      ...servers.environment,
      ...(all ? { ALL: '1' } : {}),
      ...(deep ? { DEEP: '1' } : {}),
      ...(update ? { UPDATE: '1' } : {}),
    };
    const options = { paths, coverage, update, environment, checks };
    const chosen = deep ? [...ON_CITUS, ...DEEP_ON_CITUS] : ON_CITUS;
    // None of those chosen here looks at traces.
    const [pathsOnCitus, untraced] = paths.length > 0 ? [paths, {}] : [chosen, { E2E_UNTRACED: '1' }];
    const ofCitus = {
      paths: pathsOnCitus,
      coverage: false,
      update: false,
      environment: { ...environment, ...untraced },
    };
    const onCitus = citusUrl ? () => runTestsOnCitus(tally, ofCitus, citusUrl) : undefined;
    await (onCitus && paths.length > 0 ? onCitus() : runTests(tally, { ...options, ...(onCitus && { onCitus }) }));
  } finally {
    await allEnded([
      servers?.stop(),
      cluster?.then(
        ({ stop }) => stop(),
        () => undefined,
      ),
    ]);
  }
  if (interrupted) throw new PlainError('Interrupted; the servers are stopped.');
}

// What follows imports packages, which are installed by then.

/** @param {string | undefined} place */
async function startCluster(place) {
  if (process.env.CITUS_URL) throw new PlainError('Give --citus or CITUS_URL, not both');
  const { startCitus } = await import('./servers/citus.mjs');
  return startCitus(place ?? os.tmpdir());
}

/** @param {string | undefined} url of a coordinator, if there is one */
async function givenCluster(url) {
  if (!url) return undefined;
  const { registerNodes } = await import('./servers/citus.mjs');
  await registerNodes(url);
  return url;
}
