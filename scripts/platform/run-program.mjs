// Programs of a service beside its process, such as dist/dead-letters.js, run with the environment that the service has.
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { PlainError } from '../plain-error.mjs';
import { runInForeground } from '../processes/foreground.mjs';
import { builtFile, inRoot, ROOT } from '../root.mjs';
import { requireRunning } from './run-state.mjs';
import { loadSecrets } from './secrets.mjs';
import { serviceEnvironment } from './service-environment.mjs';
import { serviceList } from './services.mjs';

/** @param {string | undefined} url */
const portOf = (url) => Number(new URL(url ?? 'http://127.0.0.1:1').port);

/**
 * Runs a program of a service of the running platform, with the terminal's input and output.
 * @param {import('./services.mjs').ServiceName} service @param {string} file below `dist` of the service
 * @param {{ data: string | undefined, args: readonly string[] }} options `data`: the folder of the platform's data
 * @returns {Promise<number>} the exit code @throws {PlainError} when the platform does not run
 */
export async function runProgram(service, file, { data, args }) {
  const { addresses } = await requireRunning(data);
  const program = inRoot('apps', service, 'dist', file);
  const env = await environmentOf(service, addresses);
  return runInForeground(process.execPath, ['--enable-source-maps', program, ...args], { cwd: ROOT, env });
}

/** @param {import('./services.mjs').ServiceName} service @param {import('./addresses.mjs').Addresses} addresses */
async function environmentOf(service, addresses) {
  /** @type {typeof import('../../libs/contracts/src/databases.js')} */
  const { DATABASES } = await import(builtFile('libs/contracts', 'databases.js'));
  /** @type {typeof import('../../libs/database/src/migrations/provision.js')} */
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

/**
 * A command of the services that have a program: `npm run <command> -- <service> <options>`.
 * @param {string} command also the program's name @param {string} options how it is used
 * @param {import('node:util').ParseArgsConfig['options']} known options besides `--data`
 * @param {(values: Record<string, string | boolean | undefined>) => string[]} argsOf for the program
 */
export async function serviceCommand(command, options, known, argsOf) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { data: { type: 'string' }, ...known },
  });
  const { SERVICES } = await serviceList();
  const having = SERVICES.filter((name) => existsSync(inRoot('apps', name, 'dist', `${command}.js`)));
  const service = having.find((name) => name === positionals[0]);
  if (!service || positionals.length > 1) {
    const usage = `npm run ${command} -- <service> ${options}`;
    throw new PlainError(`${usage}\nServices: ${having.join(', ') || 'none is built'}`);
  }
  const given = /** @type {Record<string, string | boolean | undefined>} */ (values);
  const data = given.data?.toString();
  return runProgram(service, `${command}.js`, { data, args: argsOf(given) });
}
