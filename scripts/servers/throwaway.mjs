import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Guard } from '../processes/guard.mjs';
import { builtFile } from '../root.mjs';
import { freePorts } from './free-port.mjs';
import { NATS_STOP_MS, startNats } from './nats.mjs';
import { POSTGRES_STOP_MS, startPostgres } from './postgres.mjs';
import { natsProgram, redisProgram } from './programs.mjs';

/** Starts PostgreSQL and NATS on free ports, with data that is deleted at the end, also if this process is killed.
 * @param {string} [parent] folder that their folder is made in @param {{ durable?: boolean }} [options] durable: what is committed is on disk */
export async function startThrowawayServers(parent = os.tmpdir(), { durable = false } = {}) {
  const folder = await mkdtemp(path.join(parent, 'crm-test-'));
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
    /** @type {typeof import('../../libs/contracts/src/services.js')} */
    const { SERVICES } = await import(builtFile('libs/contracts', 'services.js'));
    const passwords = Object.fromEntries([...SERVICES, 'provisioner'].map((user) => [user, password]));
    const [postgres, nats] = await Promise.all([
      startPostgres({
        dataDir: path.join(folder, 'postgres'),
        port: postgresPort,
        password,
        throwaway: !durable,
        guard,
      }),
      startNats({ dataDir: path.join(folder, 'nats'), port: natsPort, passwords, guard }),
    ]);
    stops.push(() => postgres.process.stop('SIGINT', POSTGRES_STOP_MS));
    stops.push(() => nats.process.stop('SIGTERM', NATS_STOP_MS));
    return {
      folder,
      guard,
      postgres,
      nats,
      /** The password of the administrator of PostgreSQL, and of each user of NATS. */
      password,
      environment: {
        TEST_DATABASE_URL: postgres.url,
        TEST_NATS_URL: nats.url,
        TEST_NATS_PASSWORD: password,
        // With the program each test file starts a server of its own, so that no other file takes its events.
        TEST_NATS_PROGRAM: await natsProgram(),
        // Started by the tests that need it, in some 10 ms: they also stop it.
        TEST_REDIS_PROGRAM: await redisProgram(),
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
