import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Guard } from '../processes/guard.mjs';
import { builtFile, inRoot } from '../root.mjs';
import { freePorts } from './free-port.mjs';
import { NATS_STOP_MS, startNats } from './nats.mjs';
import { POSTGRES_STOP_MS, startPostgres } from './postgres.mjs';

/**
 * @typedef {object} ThrowawayServers
 * @property {NodeJS.ProcessEnv} environment TEST_DATABASE_URL (superuser), TEST_NATS_URL, TEST_NATS_PASSWORD
 * @property {() => Promise<void>} stop stops the servers and deletes their data
 */

/**
 * Starts a PostgreSQL and a NATS server with JetStream on free ports, with data that is deleted at the end, also if
 * this process is killed.
 * @returns {Promise<ThrowawayServers>}
 */
export async function startThrowawayServers() {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-test-'));
  // PostgreSQL's user must get through; what is inside is closed to others.
  await chmod(folder, 0o711);
  const guard = new Guard({ throwawayFolder: folder });
  /** @type {(() => Promise<void>)[]} */
  const stops = [
    async () => {
      await rm(folder, { recursive: true, force: true });
      guard.dismiss();
    },
  ];
  const stop = async () => {
    for (const step of stops.toReversed()) await step();
  };
  try {
    const [postgresPort, natsPort] = /** @type {[number, number]} */ (await freePorts(2));
    const password = randomBytes(18).toString('base64url');
    const configuration = await natsConfiguration(natsPort, password);
    const [postgres, nats] = await Promise.all([
      startPostgres({ dataDir: path.join(folder, 'postgres'), port: postgresPort, password, throwaway: true, guard }),
      startNats({ dataDir: path.join(folder, 'nats'), port: natsPort, configuration, guard }),
    ]);
    stops.push(() => postgres.process.stop('SIGINT', POSTGRES_STOP_MS));
    stops.push(() => nats.process.stop('SIGTERM', NATS_STOP_MS));
    return {
      environment: { TEST_DATABASE_URL: postgres.url, TEST_NATS_URL: nats.url, TEST_NATS_PASSWORD: password },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * The configuration with the users and permissions of production, one password for all.
 * @param {number} port
 * @param {string} password
 * @returns {Promise<(storeDir: string) => string>}
 */
async function natsConfiguration(port, password) {
  const messaging = await builtMessaging();
  const { SERVICES } = /** @type {typeof import('../../libs/contracts/src/index.js')} */ (
    await import(builtFile('libs/contracts'))
  );
  if (!messaging?.natsServerConfig) {
    const users = [...SERVICES, 'provisioner'].map((user) => `{ user: ${user}, password: "${password}" }`).join(', ');
    return (storeDir) =>
      `host: 127.0.0.1\nport: ${port}\njetstream { store_dir: "${storeDir}" }\nauthorization { users: [${users}] }\n`;
  }
  const passwords = /** @type {Record<(typeof SERVICES)[number] | 'provisioner', string>} */ (
    Object.fromEntries([...SERVICES, 'provisioner'].map((name) => [name, password]))
  );
  return (storeDir) => messaging.natsServerConfig({ host: '127.0.0.1', port, storeDir, passwords });
}

/** @returns {Promise<typeof import('../../libs/messaging/src/index.js') | undefined>} */
async function builtMessaging() {
  return existsSync(inRoot('libs/messaging/dist/index.js')) ? import(builtFile('libs/messaging')) : undefined;
}
