// npm run dead-letters -- <service> [--replay <id> | --replay-all]: the dead letters of a service of the running platform.
// Runs the service's own program, dist/dead-letters.js, with the environment that the service has.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { PlainError, runCommand } from './plain-error.mjs';
import { dataFolder } from './platform/options.mjs';
import { isRunning, readRunState } from './platform/run-state.mjs';
import { loadSecrets } from './platform/secrets.mjs';
import { serviceEnvironment } from './platform/service-environment.mjs';
import { serviceList } from './platform/services.mjs';
import { builtFile, inRoot, ROOT } from './root.mjs';

/** @param {string} service */
const program = (service) => inRoot('apps', service, 'dist', 'dead-letters.js');

/** @param {string | undefined} url */
const portOf = (url) => Number(new URL(url ?? 'http://127.0.0.1:1').port);

await runCommand(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { data: { type: 'string' }, replay: { type: 'string' }, 'replay-all': { type: 'boolean' } },
  });
  const { SERVICES } = await serviceList();
  const withConsumers = SERVICES.filter((name) => existsSync(program(name)));
  const service = withConsumers.find((name) => name === positionals[0]);
  if (!service || positionals.length > 1) {
    throw new PlainError(
      `npm run dead-letters -- <service> [--replay <id> | --replay-all]\nServices: ${withConsumers.join(', ') || 'none is built'}`,
    );
  }
  const state = await readRunState(dataFolder(values.data));
  if (!state || !(await isRunning(state)) || !state.ready) {
    throw new PlainError(
      'The platform does not run. Start it with npm start (or npm start -- --detach) and try again.',
    );
  }
  const child = spawn(
    process.execPath,
    [
      '--enable-source-maps',
      program(service),
      ...(values.replay === undefined ? [] : ['--replay', values.replay]),
      ...(values['replay-all'] ? ['--replay-all'] : []),
    ],
    { cwd: ROOT, env: await environmentOf(service, state.addresses), stdio: 'inherit' },
  );
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
});

/**
 * @param {import('./platform/services.mjs').ServiceName} service
 * @param {import('./platform/addresses.mjs').Addresses} addresses
 */
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
  const ports = addresses.services[service];
  return serviceEnvironment(service, {
    // It listens nowhere; the configuration wants to know all the same.
    layout: { services: { [service]: { port: portOf(ports?.url), operationsPort: portOf(ports?.operationsUrl) } } },
    secrets,
    addresses,
    databases: { [service]: databaseUrls({ adminUrl: addresses.databaseUrl, definition, passwords }) },
    outer: process.env,
  });
}
