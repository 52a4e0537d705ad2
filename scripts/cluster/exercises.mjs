import { setTimeout as delay } from 'node:timers/promises';
import { NODES } from './nats-cluster.mjs';

/** Before, between and after what happens, so that what it sets off is counted with it. */
const CALM_MS = 3000;

/** @typedef {import('./load.mjs').Phase} Phase */

/**
 * What came of an exercise.
 * @typedef {object} Outcome
 * @property {readonly Phase[]} phases
 * @property {readonly string[]} remarks
 */

/**
 * Replaces every process of the platform, one after the other: each replica of each service, then each NATS server.
 * @param {import('./cluster.mjs').Cluster} cluster
 * @param {import('./load.mjs').Load} load
 * @param {(text: string) => void} tell
 * @returns {Promise<Outcome>}
 */
export async function rollingRestart(cluster, load, tell) {
  const phases = [await load.during('nothing', () => delay(CALM_MS))];
  const services = [...new Set(cluster.replicas.map(({ service }) => service))];
  for (const service of services) {
    tell(`rolling ${service}`);
    const replicas = cluster.replicas.filter((replica) => replica.service === service);
    phases.push(
      await load.during(`rolling restart of ${service}`, async () => {
        for (const replica of replicas) await cluster.restart(replica);
        await delay(CALM_MS);
      }),
    );
  }
  tell('rolling NATS');
  phases.push(
    await load.during('rolling restart of NATS', async () => {
      for (const node of NODES) await cluster.nats.restartNode(node);
      await delay(CALM_MS);
    }),
  );
  return { phases, remarks: [] };
}

/**
 * Kills what leads: one replica of each service, the server that leads the stream of events, and PostgreSQL's primary.
 * @param {import('./cluster.mjs').Cluster} cluster
 * @param {import('./load.mjs').Load} load
 * @param {(text: string) => void} tell
 * @returns {Promise<Outcome>}
 */
export async function failOver(cluster, load, tell) {
  const phases = [await load.during('nothing', () => delay(CALM_MS))];
  for (const replica of cluster.replicas.filter(({ name }) => name.endsWith('-1'))) {
    tell(`killing ${replica.name}`);
    phases.push(
      await load.during(`kill -9 of a process of ${replica.service}`, async () => {
        await replica.kill();
        await delay(CALM_MS);
        await replica.start();
        await cluster.balancer.untilUp(replica.service, replica.name, 30_000);
      }),
    );
  }
  const leader = await cluster.nats.leader();
  tell(`killing ${leader}, which leads the stream of events`);
  phases.push(
    await load.during('kill -9 of the NATS server that leads the stream', async () => {
      await cluster.nats.killNode(leader);
      await delay(CALM_MS);
      await cluster.nats.startNode(leader);
      await cluster.nats.untilCurrent();
    }),
  );
  tell('killing the primary of PostgreSQL');
  let promotedMs = 0;
  phases.push(
    await load.during('kill -9 of the primary of PostgreSQL', async () => {
      const began = performance.now();
      await cluster.postgres.killPrimary();
      await cluster.postgres.untilPrimaryIsGone();
      await cluster.postgres.promoteStandby();
      await cluster.switchDatabase();
      promotedMs = performance.now() - began;
      await delay(3 * CALM_MS);
    }),
  );
  return {
    phases,
    remarks: [`The standby took writes ${(promotedMs / 1000).toFixed(1)} s after the primary was killed`],
  };
}
