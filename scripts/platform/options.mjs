import path from 'node:path';
import { parseArgs } from 'node:util';
import { PlainError } from '../plain-error.mjs';
import { inRoot } from '../root.mjs';

/** USAGE describes them. @typedef {Exclude<ReturnType<typeof readStartOptions>, { help: string }>} StartOptions */

const USAGE = `npm start -- [options]
  --detach           return when the platform is ready and leave it running (npm run stop ends it)
  --data <folder>    where the data is kept (default .data)
  --ports free       pick free ports instead of the defaults
  --only <a,b>       start these services alone, for working on them
  --prepared         skip install and build
  --throwaway        for tests: end with the process that started it, and delete the data
  --json             print one JSON line with addresses and process ids when ready
  --help
Environment: PORT_OFFSET moves every port; DATABASE_URL, NATS_URL and SMTP_URL replace the embedded servers.`;

const FLAG = /** @type {const} */ ({ type: 'boolean', default: false });
const TEXT = /** @type {const} */ ({ type: 'string' });
const OPTIONS = {
  ...{ detach: FLAG, json: FLAG, throwaway: FLAG, prepared: FLAG, help: FLAG },
  ...{ ports: TEXT, data: TEXT, only: TEXT },
};

/** @param {readonly string[]} args @param {NodeJS.ProcessEnv} environment */
export function readStartOptions(args, environment) {
  const { help, ports, data, only, ...flags } = parse(args);
  if (help) return { help: USAGE };
  if (ports !== undefined && ports !== 'free') {
    throw new PlainError(`--ports knows only "free". To move the ports use PORT_OFFSET.\n\n${USAGE}`);
  }
  return {
    ...flags,
    freePorts: ports === 'free',
    portOffset: Number(environment.PORT_OFFSET ?? 0),
    dataDir: dataFolder(data),
    only: only?.split(/[\s,]+/).filter(Boolean),
  };
}

/** @param {string | undefined} given relative to the folder the command was called in @returns {string} absolute */
export const dataFolder = (given) => (given ? path.resolve(process.env.INIT_CWD ?? '.', given) : inRoot('.data'));

/** @param {readonly string[]} args */
function parse(args) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    throw new PlainError(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  }
}
