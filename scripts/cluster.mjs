// npm run cluster: the platform as it runs in production, on this machine. npm run cluster -- --help lists the options.
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { STEPS, startCluster } from './cluster/cluster.mjs';
import { NODES } from './cluster/layout.mjs';
import { countLost, receiveLeads, reportOf, signInPeople, untilArrived } from './cluster/load.mjs';
import { PlainError, runCommand } from './plain-error.mjs';
import { readyTable } from './platform/addresses.mjs';
import { fixedLayout } from './platform/layout.mjs';
import { serviceList } from './platform/services.mjs';
import { labNode } from './servers/citus.mjs';
import { buildPackages, installPackages } from './setup/packages.mjs';
import { Progress } from './setup/progress.mjs';

const USAGE = `npm run cluster -- [options]
Two replicas of each service behind HAProxy, three NATS servers, and PostgreSQL with a synchronous standby, at the addresses of
npm start, until Ctrl-C. The data goes with it.
  --rolling     restart every process in turn under load, print what the requests came to, and end
  --fail-over   kill a process of each service, the NATS server that leads and the primary of PostgreSQL in turn, likewise
  --citus       with a coordinator and two workers of Citus instead of the standby; kill each worker in turn, likewise
  --help
Environment: PORT_OFFSET moves every port; CITUS_LAB names the program that starts Citus (default ../shared/citus/lab). It needs
some 3 GB of memory.`;

/** Before, between and after what happens, so that what it sets off is counted with it. */
const CALM_MS = 3000;

/** @typedef {import('./cluster/cluster.mjs').Cluster} Cluster */
/** @typedef {(during: string, work: () => Promise<unknown>) => Promise<void>} Act counts requests while something is done */

/** @type {Record<string, (cluster: Cluster, act: Act) => Promise<void>>} */
const EXERCISES = { rolling: rollingRestart, 'fail-over': failOver, citus: loseWorkers };
const FLAG = /** @type {const} */ ({ type: 'boolean' });

await runCommand(async () => {
  const { values } = parseArgs({ options: { rolling: FLAG, 'fail-over': FLAG, citus: FLAG, help: FLAG } });
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const chosen = Object.keys(EXERCISES).filter((name) => name in values);
  const { citus = false } = values;
  const askedToStop = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => resolve(signal));
  });
  const progress = new Progress(2 + STEPS + (citus ? 1 : 0), process.stdout);
  await progress.step('Installing packages', installPackages);
  await progress.step('Building', () => buildPackages());
  const contracts = await serviceList();
  const portOffset = Number(process.env.PORT_OFFSET ?? 0);
  const layout = fixedLayout(contracts, portOffset);
  const cluster = await startCluster({ layout, portOffset, citus, progress });
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

/** Exit code 1: a rolling restart fails a request, something accepted is lost, or nothing was accepted. @param {Cluster} cluster @param {readonly string[]} names */
async function exercise(cluster, names) {
  const load = await signInPeople(cluster.addresses.baseUrl);
  const receiver = await receiveLeads(cluster.addresses, load.administrators);
  try {
    load.start();
    let failed = 0;
    for (const name of names) {
      const phases = [await load.during('nothing', () => delay(CALM_MS))];
      await EXERCISES[name]?.(cluster, async (during, work) => {
        process.stdout.write(`${new Date().toISOString()} ${during}\n`);
        phases.push(await load.during(during, () => work().then(() => delay(CALM_MS))));
      });
      process.stdout.write(`\n${reportOf(phases)}\n\n`);
      if (name === 'rolling') failed += phases.reduce((sum, { failures }) => sum + failures.length, 0);
    }
    await load.stop();
    const lost = await countLost(cluster.addresses, load.accepted);
    process.stdout.write(`  ${load.accepted.length} leads were accepted; ${lost} of them are not there\n`);
    const { events, requests } = await untilArrived(receiver, load.accepted);
    process.stdout.write(
      `  ${events} leads arrived at the receiver, each accepted one among them; ${requests - events} came again\n`,
    );
    return failed + lost === 0 && load.accepted.length > 0 ? 0 : 1;
  } finally {
    await load.stop();
    await receiver.close();
  }
}

/** Replaces every process in turn: replicas, then NATS servers. @param {Cluster} cluster @param {Act} act */
async function rollingRestart(cluster, act) {
  for (const service of new Set(cluster.replicas.map((replica) => replica.service))) {
    await act(`rolling restart of ${service}`, async () => {
      for (const one of cluster.replicas.filter((replica) => replica.service === service)) await cluster.restart(one);
    });
  }
  await act('rolling restart of NATS', async () => {
    for (const node of NODES) await cluster.nats.restartNode(node);
  });
}

/** Kills one replica of each service, the server that leads the stream, and PostgreSQL's primary. @param {Cluster} cluster @param {Act} act */
async function failOver({ replicas, nats, postgres, balancer }, act) {
  for (const replica of replicas.filter(({ name }) => name.endsWith('-1'))) {
    await act(`kill -9 of a process of ${replica.service}`, async () => {
      await replica.kill();
      await delay(CALM_MS);
      await replica.start();
      await balancer.untilUp(replica.service, replica.name);
    });
  }
  await act('kill -9 of the NATS server that leads the stream', () => nats.loseLeader(() => delay(CALM_MS)));
  if (!postgres) return;
  await act('kill -9 of the primary of PostgreSQL', async () => {
    const began = performance.now();
    await postgres.failOver();
    await balancer.switchDatabase();
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    process.stdout.write(`  The standby took writes ${seconds} s after the primary was killed\n`);
    await delay(2 * CALM_MS);
  });
}

/** Kills each worker of Citus and starts it again. @param {Cluster} cluster @param {Act} act */
async function loseWorkers({ citus }, act) {
  for (const [index, url] of (citus?.workers ?? []).entries()) {
    const worker = await labNode(url);
    await act(`kill -9 of worker ${index + 1}`, async () => {
      await worker.kill();
      await delay(CALM_MS);
      await worker.start();
    });
  }
}
