// docker-compose.yml as Compose understands it: merged, and with its variables filled in. For tests.
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { inRoot } from '../root.mjs';

/**
 * What the tests look at; a container that the file calls a service.
 * @typedef {object} Container
 * @property {string} image
 * @property {{ context: string, dockerfile: string, target: string }} [build]
 * @property {string} user
 * @property {string} restart
 * @property {string[]} [profiles]
 * @property {string[]} [entrypoint]
 * @property {string[]} [command]
 * @property {boolean} read_only
 * @property {string[]} cap_drop
 * @property {string[]} security_opt
 * @property {string[]} [tmpfs]
 * @property {Record<string, string | number | boolean>} [environment]
 * @property {string[]} [secrets]
 * @property {string[]} [volumes] in the short form, source:target[:ro]
 * @property {string[]} [ports] in the short form, address:published:target
 * @property {string[]} networks
 * @property {Record<string, { condition: string }>} [depends_on]
 * @property {{ test: string[], interval: string, timeout: string, retries: number, start_period: string }} [healthcheck]
 * @property {{ resources: { limits: { cpus: string, memory: string, pids: number } } }} deploy
 * @property {{ driver: string, options: Record<string, string> }} logging
 */

/**
 * @typedef {object} ComposeFile
 * @property {Record<string, Container>} services
 * @property {Record<string, { internal?: boolean, driver_opts?: Record<string, string> }>} networks
 * @property {Record<string, object>} volumes
 * @property {Record<string, { file: string }>} secrets
 */

/** A variable with a default that also replaces an empty value, or an escaped dollar sign: the forms that the file uses. */
const VARIABLE = /\$\$|\$\{([A-Z][A-Z0-9_]*):-([^}]*)\}|\$/g;

/**
 * @param {Readonly<Record<string, string>>} [environment] what `docker compose` finds in its environment or in `--env-file`
 * @returns {Promise<ComposeFile>}
 */
export async function readCompose(environment = {}) {
  const document = parse(await readFile(inRoot('docker-compose.yml'), 'utf8'), { merge: true, uniqueKeys: true });
  return /** @type {ComposeFile} */ (fillIn(document, environment));
}

/**
 * @param {string} file of lines NAME=value and comments
 * @returns {Promise<Record<string, string>>}
 */
export async function readEnvFile(file) {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

/**
 * The environment of a container, in texts.
 * @param {Container} container
 * @returns {Record<string, string>}
 */
export const environmentOf = ({ environment = {} }) =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]));

/**
 * @param {unknown} value
 * @param {Readonly<Record<string, string>>} environment
 * @returns {unknown}
 */
function fillIn(value, environment) {
  if (typeof value === 'string') {
    return value.replace(VARIABLE, (form, name, standard) => {
      if (form === '$$') return '$';
      if (name === undefined) throw new Error(`Not a variable with a default: ${value}`);
      return environment[name] || standard;
    });
  }
  if (Array.isArray(value)) return value.map((item) => fillIn(item, environment));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillIn(item, environment)]));
}
