import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';

/**
 * @typedef {object} Call one way to run a program
 * @property {readonly string[]} args
 * @property {string} [input] for its standard input
 * @property {RegExp} says what it prints when it has done its work
 */

/** A password that no list of common ones has. */
const PASSWORD = 'tangerine-lighthouse-quarry-41';
const OPERATOR = 'images@platform.test';

/**
 * The programs that lie beside main.js and run in the container of a service. An image with a program that is not named here
 * fails the walk.
 * @type {Readonly<Record<string, readonly Call[]>>}
 */
const PROGRAMS = {
  'dead-letters.js': [{ args: [], says: /^\d+ waiting$/m }],
  'operator.js': [
    { args: ['create', OPERATOR, 'Images', '--role', 'administrator'], input: `${PASSWORD}\n`, says: /can sign in/ },
    { args: ['reset', OPERATOR], says: /no session any more/ },
  ],
  'reencrypt.js': [
    { args: [], says: /\d+ sealed again, \d+ changed meanwhile, 0 do not open/ },
    { args: ['--status'], says: /\tcurrent$/m },
  ],
  'rotate-keys.js': [{ args: ['api'], says: /is published now/ }],
};

/** What runs otherwise: the service itself, and the demo sign-ins, which the walk creates before it starts the services. */
const RUN_ELSEWHERE = ['main.js', 'seed.js'];

/**
 * The programs of an image, besides those that the walk runs anyway.
 * @param {string} root the file system of the image
 * @returns {Promise<string[]>} file names in /app, sorted
 * @throws {PlainError} for one that nobody has said how to run
 */
export async function programsIn(root) {
  const found = (await readdir(path.join(root, 'app'))).filter((name) => name.endsWith('.js'));
  const programs = found.filter((name) => !RUN_ELSEWHERE.includes(name)).sort();
  const unknown = programs.find((name) => !Object.hasOwn(PROGRAMS, name));
  if (unknown) throw new PlainError(`Say in scripts/images/programs.mjs how ${unknown} is run and what it prints`);
  return programs;
}

/**
 * Runs each program of each image in the running container of its service, as `docker exec` and `kubectl exec` do.
 * @param {import('./container-platform.mjs').ContainerPlatform} platform
 * @returns {Promise<number>} how many runs there were
 * @throws {PlainError} when one fails, or prints something else
 */
export async function runPrograms(platform) {
  let runs = 0;
  for (const { service, root, run } of platform.containers()) {
    for (const program of await programsIn(root)) {
      for (const { args, input, says } of PROGRAMS[program] ?? []) {
        const { code, stdout, stderr } = await run(['node', program, ...args], input);
        runs += 1;
        if (code === 0 && says.test(stdout)) continue;
        const command = ['node', program, ...args].join(' ');
        throw new PlainError(`crm/${service}: ${command} ended with exit code ${code}\n${stdout}\n${stderr}`);
      }
    }
  }
  return runs;
}
