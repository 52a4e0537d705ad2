// Which environment variables a service reads, learned by loading its configuration. For tests: the sources are
// TypeScript, which Jest compiles.
import { ConfigurationError, readEnvironment } from '../../libs/runtime/src/configuration/environment.js';
import { inRoot } from '../root.mjs';

/** A process with a configuration. @typedef {import('../platform/services.mjs').ServiceName | 'migrate'} ProgramName */

/** fromFiles: the secrets, whose value may be in a file, named by the variable `<NAME>_FILE`.
 * @typedef {{ known: readonly string[], fromFiles: readonly string[] }} ServiceVariables */

/** Variables that Node and the C library read, not the configuration. */
const PROCESS_VARIABLES = ['MALLOC_ARENA_MAX', 'NODE_COMPILE_CACHE', 'NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'TZ'];

const FILE_SUFFIX = '_FILE';

/** @param {ProgramName} service */
export const serviceVariables = async (service) => variablesOf(await configurationOf(service));

/** @param {() => unknown} loadConfig reads its settings through `readEnvironment` @returns {ServiceVariables} */
export function variablesOf(loadConfig) {
  /** @type {Set<string>} */
  const read = new Set();
  const recording = new Proxy(/** @type {Record<string, string>} */ ({}), {
    get(target, name) {
      if (typeof name !== 'string') return undefined;
      read.add(name);
      return target[name];
    },
    has(target, name) {
      if (typeof name === 'string') read.add(name);
      return name in target;
    },
  });
  problemsOf(loadConfig, recording);
  const fromFiles = [...read].filter((name) => read.has(name + FILE_SUFFIX)).sort();
  const files = fromFiles.map((name) => name + FILE_SUFFIX);
  return { known: [...read].filter((name) => !files.includes(name)).sort(), fromFiles };
}

/** What is wrong with the environment of a service: variables that are missing, invalid, given twice or unknown to it.
 * @param {ProgramName} service @param {Readonly<Record<string, string>>} environment
 * @param {Readonly<Record<string, string>>} [files] contents of the files that `…_FILE` names, by path
 * @returns {Promise<string[]>} one sentence for each problem */
export async function environmentProblems(service, environment, files = {}) {
  const loadConfig = await configurationOf(service);
  const { known, fromFiles } = variablesOf(loadConfig);
  /** @type {string[]} */
  const problems = [];
  /** @type {Record<string, string>} */
  const values = {};
  for (const [name, value] of Object.entries(environment)) {
    const secret = name.endsWith(FILE_SUFFIX) ? name.slice(0, -FILE_SUFFIX.length) : '';
    if (known.includes(name)) {
      values[name] = value;
    } else if (fromFiles.includes(secret)) {
      if (environment[secret] !== undefined) problems.push(`${secret} is given twice, also as ${name}`);
      if (files[value] === undefined) problems.push(`${name} names a file that is not there: ${value}`);
      else values[secret] = files[value];
    } else if (!PROCESS_VARIABLES.includes(name)) {
      problems.push(`${name} is not a variable of ${service}`);
    }
  }
  return [...problems, ...problemsOf(loadConfig, values)];
}

/** @param {ProgramName} service @returns {Promise<() => unknown>} */
async function configurationOf(service) {
  const { loadConfig } = await import(inRoot('apps', service, 'src', 'config.ts'));
  return loadConfig;
}

/** @param {() => unknown} loadConfig @param {Readonly<Record<string, string | undefined>>} environment */
function problemsOf(loadConfig, environment) {
  try {
    // Readings nest: the configuration reads this environment and not that of the process.
    readEnvironment(() => loadConfig(), environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    if (error instanceof Error) return [error.message];
    throw error;
  }
}
