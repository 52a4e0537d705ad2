// A program of its own, so that the memory that TypeORM and the migrations need is given back when it ends.
// Standard input: a JSON object {@link Order}; standard output: a JSON object {@link Provisioned}.
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { builtFile, inRoot } from '../root.mjs';

/**
 * @typedef {object} Order
 * @property {string} databaseUrl superuser
 * @property {Record<string, { owner: string, runtime: string, narrow: string }>} passwords by stateful service
 * @property {readonly string[]} services those that run
 * @property {{ url: string, user: string, password: string }} nats
 * @property {number} [replicas] of each stream; default 1
 */

/**
 * @typedef {object} Provisioned
 * @property {Record<string, { ownerUrl: string, runtimeUrl: string, narrowUrl: string }>} databases by service
 * @property {number} migrations how many steps ran now
 */

/** @type {Order} */
const order = JSON.parse(await text(process.stdin));
/** @type {typeof import('../../libs/contracts/src/databases.js')} */
const { DATABASES } = await import(builtFile('libs/contracts', 'databases.js'));
// These files alone: the whole packages would load Nest.
/** @type {typeof import('../../libs/database/src/migrations/provision.js')} */
const { provisionDatabase } = await import(builtFile('libs/database', 'migrations/provision.js'));
/** @type {typeof import('../../libs/database/src/migrations/run.js')} */
const { runMigrations } = await import(builtFile('libs/database', 'migrations/run.js'));
/** @type {typeof import('../../libs/messaging/src/server/provision-streams.js')} */
const { provisionStreams } = await import(builtFile('libs/messaging', 'server/provision-streams.js'));

/** @type {Provisioned} */
const provisioned = { databases: {}, migrations: 0 };

await Promise.all([
  provisionStreams(order.nats, { replicas: order.replicas ?? 1 }),
  ...Object.entries(DATABASES)
    .filter(([service]) => order.services.includes(service))
    .map(async ([service, definition]) => {
      const passwords = order.passwords[service];
      if (!passwords) throw new Error(`No passwords for the database of ${service}`);
      const urls = await provisionDatabase({ adminUrl: order.databaseUrl, definition, passwords });
      provisioned.databases[service] = urls;
      if (!existsSync(inRoot('apps', service, 'dist', 'migrations', 'index.js'))) return;
      const { migrations } = await import(builtFile(`apps/${service}`, 'migrations/index.js'));
      const ran = await runMigrations({ ownerUrl: urls.ownerUrl, migrations });
      provisioned.migrations += ran.length;
    }),
]);

process.stdout.write(JSON.stringify(provisioned));
