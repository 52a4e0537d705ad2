// Runs a program of a service of the running platform beside its process, with the environment that the service has:
//   npm run dead-letters -- <service> [--replay <id> | --replay-all]   its dead letters
//   npm run reencrypt -- <service> [--status]     seals again what other encryption keys of the service sealed
//   npm run operator:create -- <e-mail address> <name> [--role administrator|reviewer] [--workspace <id>] < password.txt
//   npm run operator:reset -- <e-mail address> [--password < password.txt]   removes a lost authenticator
// Options are those of the program, which says how it is used, besides --data. In production it is `node operator.js` in the
// container of identity.
import { existsSync } from 'node:fs';
import { PlainError, runCommand } from './plain-error.mjs';
import { requireRunning } from './platform/run-state.mjs';
import { loadSecrets } from './platform/secrets.mjs';
import { serviceEnvironment } from './platform/service-environment.mjs';
import { serviceList } from './platform/services.mjs';
import { runInForeground } from './processes/run.mjs';
import { builtFile, inRoot, ROOT } from './root.mjs';
import { nodeProgram } from './setup/node.mjs';

await runCommand(async () => {
  const [program, ...args] = process.argv.slice(2);
  const at = args.findIndex((argument) => /^--data(=|$)/.test(argument));
  const [option = '', next] = at < 0 ? [] : args.splice(at, args[at] === '--data' ? 2 : 1);
  const data = option.startsWith('--data=') ? option.slice('--data='.length) : next;
  const { addresses } = await requireRunning(data);
  const { SERVICES } = await serviceList();
  const fileOf = (/** @type {string} */ service) => inRoot('apps', service, 'dist', `${program}.js`);
  const having = SERVICES.filter((name) => existsSync(fileOf(name)));
  const service = having.find((name) => name === args[0]);
  if (!service) {
    throw new PlainError(
      `npm run ${process.env.npm_lifecycle_event ?? program} -- <service> [options]\nServices: ${having.join(', ')}`,
    );
  }
  const env = await environmentOf(service, addresses);
  return runInForeground(nodeProgram(), ['--enable-source-maps', fileOf(service), ...args.slice(1)], {
    cwd: ROOT,
    env,
  });
});

/** @param {import('./platform/services.mjs').ServiceName} service @param {import('./platform/addresses.mjs').Addresses} addresses */
async function environmentOf(service, addresses) {
  /** @type {typeof import('../libs/contracts/src/databases.js')} */
  const { DATABASES } = await import(builtFile('libs/contracts', 'databases.js'));
  /** @type {typeof import('../libs/database/src/migrations/provision.js')} */
  const { databaseUrls } = await import(builtFile('libs/database', 'migrations/provision.js'));
  const definition = Object.entries(DATABASES).find(([name]) => name === service)?.[1];
  const secrets = await loadSecrets(addresses.dataDir, { stateful: [], natsUsers: [] });
  const passwords = secrets.databases[service];
  if (!definition || !passwords) throw new PlainError(`${service} has no database`);
  // A NATS server of one's own may have one password for all users, see scripts/README.md.
  if (process.env.NATS_URL && process.env.NATS_PASSWORD) secrets.nats[service] = process.env.NATS_PASSWORD;
  const { url, operationsUrl } = addresses.services[service] ?? {};
  const portOf = (/** @type {string} */ place = 'http://127.0.0.1:1') => Number(new URL(place).port);
  return serviceEnvironment(service, {
    // It listens nowhere; the configuration wants to know all the same.
    layout: { services: { [service]: { port: portOf(url), operationsPort: portOf(operationsUrl) } } },
    secrets,
    addresses,
    databases: { [service]: databaseUrls({ adminUrl: addresses.databaseUrl, definition, passwords }) },
    outer: process.env,
  });
}
