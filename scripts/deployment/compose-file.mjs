// docker-compose.yml as Compose understands it: merged, and with its variables filled in. For tests.
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { inRoot } from '../root.mjs';

/** A container, which the file calls a service; volumes and ports are in the short form. The tests look at the rest by name. */
/** @typedef {{ image: string, networks: string[], environment?: Record<string, string | number | boolean>, command?: string[], entrypoint?: string[], secrets?: string[], volumes?: string[], ports?: string[], profiles?: string[], depends_on?: Record<string, { condition: string }>, healthcheck?: object, [key: string]: unknown }} Container */

/** @typedef {object} ComposeFile
 * @property {Record<string, Container>} services
 * @property {Record<string, { internal?: boolean, driver_opts?: Record<string, string> }>} networks
 * @property {Record<string, object>} volumes
 * @property {Record<string, { file: string }>} secrets */

/** A variable with a default that also replaces an empty value, or an escaped dollar sign: the forms that the file uses. */
const VARIABLE = /\$\$|\$\{([A-Z][A-Z0-9_]*):-([^}]*)\}|\$/g;

/** @param {Readonly<Record<string, string>>} [environment] what `docker compose` finds in its environment or in `--env-file`
 * @returns {Promise<ComposeFile>} */
export async function readCompose(environment = {}) {
  const document = parse(await readFile(inRoot('docker-compose.yml'), 'utf8'), { merge: true, uniqueKeys: true });
  const fillIn = (/** @type {string} */ text) =>
    text.replace(VARIABLE, (form, name, standard) => {
      if (form !== '$$' && name === undefined) throw new Error(`Not a variable with a default: ${text}`);
      return form === '$$' ? '$' : environment[name] || standard;
    });
  return JSON.parse(JSON.stringify(document, (_key, value) => (typeof value === 'string' ? fillIn(value) : value)));
}

/** The environment of a container, in texts. @param {Pick<Container, 'environment'>} container */
export const environmentOf = ({ environment = {} }) =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]));
