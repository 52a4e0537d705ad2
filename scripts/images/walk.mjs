import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { walkJourney } from '../demo/journey.mjs';
import { startDemoReceiver } from '../demo/receiver.mjs';
import { PlainError } from '../plain-error.mjs';
import { get } from '../processes/readiness.mjs';

/** @typedef {import('./platform.mjs').ContainerPlatform} ContainerPlatform */

const HEALTH_CHECK = ['node', '/app/healthcheck.mjs'];

/** What the three edges serve from files of the image, besides the assets of pages. */
const DOCUMENTATION = ['/api/docs', '/api/docs/assets/swagger-ui-bundle.js', '/api/docs/assets/swagger-ui.css'];

const OPERATOR = 'images@platform.test';
/** A password that no list of common ones has. */
const PASSWORD = 'tangerine-lighthouse-quarry-41';

/** How programs beside main.js are run, and what they print when they have done their work. One that is missing fails
 * the walk. @type {Readonly<Record<string, readonly { args: readonly string[], input?: string, says: RegExp }[]>>} */
const PROGRAMS = {
  // What runs otherwise: the service itself, and the demo sign-ins.
  'main.js': [],
  'seed.js': [],
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

/** Runs the migration twice at once, and once more: whichever gets the lock does everything, and the others nothing.
 * @param {ContainerPlatform} platform */
export async function migrateRepeatedly(platform) {
  const together = await Promise.all([platform.migrate(), platform.migrate()]);
  // The one that waited says so first.
  const runs = [...together, await platform.migrate()].map((lines) =>
    lines.filter((line) => !line.startsWith('Another migration')),
  );
  const [working, ...more] = runs.filter((lines) => !lines[0]?.startsWith('Nothing to do'));
  if (!working || more.length > 0) {
    throw new PlainError(`Of three migrations one must do everything and two nothing:\n${runs.join('\n\n')}`);
  }
}

/** The pages that the edges serve. @param {ContainerPlatform} platform */
export async function readPages({ addresses: { baseUrl, adminUrl, embedApiUrl } }) {
  const urls = [baseUrl, adminUrl, embedApiUrl].flatMap((edge) => DOCUMENTATION.map((file) => `${edge}${file}`));
  // Documents that name their scripts and styles, whose names change with their content. Any embed client gets the page.
  const pages = [`${embedApiUrl}/embed/embed_of_nobody`, `${baseUrl}/account`];
  for (const url of pages) {
    const document = await readPage(url);
    const assets = [...document.matchAll(/"(\/[a-z]+\/assets\/[^"]+)"/g)].map(([, asset = '']) => asset);
    if (!['.js', '.css'].every((type) => assets.some((asset) => asset.endsWith(type)))) {
      throw new PlainError(`The page names no script or no style: ${url}\n${document}`);
    }
    urls.push(...assets.map((asset) => new URL(asset, url).href));
  }
  await Promise.all(urls.map(readPage));
}

/** @param {string} url @returns {Promise<string>} what it serves @throws {PlainError} when that is nothing */
async function readPage(url) {
  const { status, body } = await get(url);
  if (status !== 200 || body.length === 0) throw new PlainError(`The image lacks a page: ${url} → ${status}`);
  return body;
}

/** The demo, through the public addresses. @param {ContainerPlatform} platform */
export async function walkDemo({ addresses }) {
  const receiver = await startDemoReceiver(addresses.demoReceiver);
  try {
    await walkJourney(addresses, receiver, { step: () => undefined, show: () => undefined });
  } finally {
    await receiver.close();
  }
}

/** Runs the health check and each other program of every service in its running container, as `docker exec` does.
 * @param {ContainerPlatform} platform @param {string} root the file system of the image */
export async function runPrograms(platform, root) {
  for (const [service, container] of platform.containers) {
    const programs = (await readdir(path.join(root, 'app', service))).filter((name) => name.endsWith('.js'));
    const calls = programs.sort().flatMap((program) => {
      const known = PROGRAMS[program];
      if (!known) throw new PlainError(`Say in scripts/images/walk.mjs how ${program} is run and what it prints`);
      return known.map(({ args, ...call }) => ({ command: ['node', `${service}/${program}`, ...args], ...call }));
    });
    for (const { command, input, says } of [{ command: HEALTH_CHECK, input: undefined, says: /"ready"/ }, ...calls]) {
      const { code, stdout, stderr } = await container.run(command, input);
      if (code === 0 && says.test(stdout)) continue;
      throw new PlainError(`${service}: ${command.join(' ')} ended with exit code ${code}\n${stdout}\n${stderr}`);
    }
  }
}
