// A program of its own, so that the memory that TypeORM and the migrations need is given back when it ends.
// It does what the image crm/migrate does in production, with the same code: apps/migrate.
// Standard input: a JSON object {@link Order}; standard output: a JSON object {@link Provisioned}.
import { text } from 'node:stream/consumers';
import { builtFile } from '../root.mjs';

/** @typedef {object} Order
 * @property {string} databaseUrl superuser
 * @property {Record<string, { owner: string, runtime: string, narrow: string }>} passwords by stateful service
 * @property {readonly string[]} services those that run
 * @property {{ url: string, user: string, password: string }} nats
 * @property {number} [replicas] of each stream; default 1 */

/** @typedef {{ databases: Record<string, { ownerUrl: string, runtimeUrl: string, narrowUrl: string }> }} Provisioned */

/** @type {Order} */
const order = JSON.parse(await text(process.stdin));
/** @type {typeof import('../../apps/migrate/src/provision-platform.js')} */
const { provisionPlatform } = await import(builtFile('apps/migrate', 'provision-platform.js'));

const { databases } = await provisionPlatform({
  adminUrl: order.databaseUrl,
  passwords: Object.fromEntries(
    Object.entries(order.passwords).filter(([service]) => order.services.includes(service)),
  ),
  nats: order.nats,
  replicas: order.replicas ?? 1,
  migrationsOf: async (service) => (await import(builtFile(`apps/${service}`, 'migrations/index.js'))).migrations,
});
process.stdout.write(JSON.stringify({ databases }));
