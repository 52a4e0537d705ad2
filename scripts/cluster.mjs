// npm run cluster: the platform as it runs in production, on this machine. npm run cluster -- --help lists the options.
import { parseArgs } from 'node:util';
import { Cluster, STEPS } from './cluster/cluster.mjs';
import { Deliveries } from './cluster/deliveries.mjs';
import { failOver, rollingRestart } from './cluster/exercises.mjs';
import { clusterLayout, clusterPorts } from './cluster/layout.mjs';
import { Load } from './cluster/load.mjs';
import { countLost } from './cluster/lost-leads.mjs';
import { reportOf } from './cluster/report.mjs';
import { PlainError, runCommand } from './plain-error.mjs';
import { readyTable } from './platform/addresses.mjs';
import { requireFreePorts } from './platform/port-check.mjs';
import { serviceList } from './platform/services.mjs';
import { buildPackages } from './setup/build.mjs';
import { installPackages } from './setup/install.mjs';
import { requireNodeVersion } from './setup/node-version.mjs';
import { Progress } from './setup/progress.mjs';

const USAGE = `npm run cluster -- [options]
Two replicas of each service behind HAProxy, three NATS servers, and PostgreSQL with a synchronous standby, at the addresses of
npm start, until Ctrl-C. The data goes with it.
  --rolling     restart every process in turn under load, print what the requests came to, and end
  --fail-over   kill a process of each service, the NATS server that leads and the primary of PostgreSQL in turn, likewise
  --help
Environment: PORT_OFFSET moves every port. It needs some 3 GB of memory.`;

const EXERCISES = { rolling: rollingRestart, 'fail-over': failOver };

/** @typedef {keyof typeof EXERCISES} ExerciseName */

await runCommand(async () => {
  requireNodeVersion();
  const { values } = parseArgs({
    options: {
      rolling: { type: 'boolean' },
      'fail-over': { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const names = /** @type {ExerciseName[]} */ (Object.keys(EXERCISES));
  const chosen = names.filter((name) => values[name]);
  const askedToStop = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => resolve(signal));
  });
  const progress = new Progress(2 + STEPS, process.stdout);
  await progress.step('Installing packages', async (note) => note(await installPackages()));
  await progress.step('Building', async (note) => note(await buildPackages()));
  const contracts = await serviceList();
  const { DEVELOPMENT_PORTS, OPERATIONS_PORT_OFFSET } = contracts;
  const offset = Number(process.env.PORT_OFFSET ?? 0);
  const layout = clusterLayout(DEVELOPMENT_PORTS, OPERATIONS_PORT_OFFSET, offset, contracts);
  await requireFreePorts(clusterPorts(layout));
  const cluster = await Cluster.start({ layout, progress });
  try {
    if (chosen.length === 0) {
      process.stdout.write(`${readyTable(cluster.addresses)}\nready\n`);
      process.stderr.write(`\n${await askedToStop}: stopping\n`);
      return 0;
    }
    const stopped = askedToStop.then((signal) => {
      throw new PlainError(`${signal}: the exercise was given up.`);
    });
    return await Promise.race([exercise(cluster, chosen), stopped]);
  } finally {
    await cluster.stop();
  }
});

/**
 * @param {Cluster} cluster
 * @param {readonly ExerciseName[]} names
 * @returns {Promise<number>} the exit code: 1 when a rolling restart fails a request, or something accepted is lost
 */
async function exercise(cluster, names) {
  const tell = (/** @type {string} */ text) => void process.stdout.write(`${new Date().toISOString()} ${text}\n`);
  const load = new Load(cluster.addresses.baseUrl);
  await load.signIn();
  const deliveries = await Deliveries.subscribe(
    cluster.addresses,
    load.tenants.map((person) => load.tokenOf(person)),
  );
  try {
    load.start();
    let failed = 0;
    for (const name of names) {
      const { phases, remarks } = await EXERCISES[name](cluster, load, tell);
      process.stdout.write(`\n${reportOf(phases)}\n${remarks.map((remark) => `  ${remark}\n`).join('')}\n`);
      if (name === 'rolling') failed += phases.reduce((sum, { failures }) => sum + failures.length, 0);
    }
    await load.stop();
    const lost = await countLost(cluster.addresses, load.accepted);
    process.stdout.write(`  ${load.accepted.length} leads were accepted; ${lost} of them are not there\n`);
    const { events, again } = await deliveries.untilArrived(load.accepted);
    process.stdout.write(
      `  ${events} leads arrived at the receiver, each accepted one among them; ${again} came again\n`,
    );
    return failed + lost === 0 ? 0 : 1;
  } finally {
    await load.stop();
    await deliveries.close();
  }
}
