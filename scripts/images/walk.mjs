import { walkJourney } from '../demo/journey.mjs';
import { startDemoReceiver } from '../demo/receiver.mjs';
import { PlainError } from '../plain-error.mjs';
import { get } from '../platform/readiness.mjs';

/** @typedef {import('./container-platform.mjs').ContainerPlatform} ContainerPlatform */

const DOCUMENTATION = ['/api/docs', '/api/docs/assets/swagger-ui-bundle.js', '/api/docs/assets/swagger-ui.css'];

/** What the edges serve from files of their images, besides the assets of pages. */
const PAGES = {
  baseUrl: DOCUMENTATION,
  adminUrl: DOCUMENTATION,
  embedApiUrl: DOCUMENTATION,
};

/** Documents that name their scripts and styles, whose names change with their content. Any embed client gets the page. */
const DOCUMENTS = /** @type {const} */ ([
  ['embedApiUrl', '/embed/embed_of_nobody'],
  ['baseUrl', '/account'],
]);

/**
 * Runs the migration twice at the same time, and once more: whichever gets the lock does everything, and the others find
 * nothing left to do.
 * @param {ContainerPlatform} platform
 * @returns {Promise<string>} what the first did, for people
 * @throws {PlainError} when it was otherwise
 */
export async function migrateRepeatedly(platform) {
  const together = await Promise.all([platform.migrate(), platform.migrate()]);
  const last = await platform.migrate();
  const isIdle = (/** @type {readonly string[]} */ lines) =>
    lines.length === 1 && lines[0]?.startsWith('Nothing to do');
  // The one that waited says so first.
  const [first, second] = together.map((lines) => lines.filter((line) => !line.startsWith('Another migration')));
  const working = [first, second].find((lines) => lines && !isIdle(lines));
  const waiting = [first, second].find((lines) => lines && isIdle(lines));
  if (!working || !waiting || !isIdle(last)) {
    const runs = [...together, last].map((lines) => lines.join('\n')).join('\n\n');
    throw new PlainError(`Of three runs of crm/migrate one must do everything and two nothing:\n${runs}`);
  }
  const count = (/** @type {string} */ verb) => working.filter((line) => line.startsWith(verb)).length;
  return `${count('created ')} created, ${count('migrated ')} steps; repeated: nothing to do`;
}

/**
 * The pages that the images of the edges carry.
 * @param {ContainerPlatform} platform
 * @returns {Promise<number>} how many files were served
 * @throws {PlainError} when one is missing
 */
export async function readPages({ addresses }) {
  const edges = /** @type {(keyof typeof PAGES)[]} */ (Object.keys(PAGES));
  const urls = [...edges.flatMap((edge) => PAGES[edge].map((path) => `${addresses[edge]}${path}`))];
  for (const [edge, path] of DOCUMENTS) urls.push(...(await assetsOf(`${addresses[edge]}${path}`)));
  for (const url of urls) await readPage(url);
  return urls.length + DOCUMENTS.length;
}

/**
 * @param {string} url of a document
 * @returns {Promise<string[]>} of the files that it names
 * @throws {PlainError} when it names no script or no style
 */
async function assetsOf(url) {
  const document = await readPage(url);
  const assets = [...document.matchAll(/"(\/[a-z]+\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  if (!['.js', '.css'].every((type) => assets.some((path) => path.endsWith(type)))) {
    throw new PlainError(`The page names no script or no style: ${url}\n${document}`);
  }
  return assets.map((path) => new URL(path, url).href);
}

/**
 * @param {string} url
 * @returns {Promise<string>} what it serves
 * @throws {PlainError} when that is nothing
 */
async function readPage(url) {
  const { status, body } = await get(url);
  if (status !== 200 || body.length === 0) throw new PlainError(`An image does not carry its page: ${url} → ${status}`);
  return body;
}

/**
 * The demo, through the public addresses.
 * @param {ContainerPlatform} platform
 * @returns {Promise<number>} how many steps it took
 */
export async function walkDemo({ addresses }) {
  let steps = 0;
  const receiver = await startDemoReceiver(addresses.demoReceiver);
  try {
    await walkJourney(addresses, receiver, {
      step: () => {
        steps += 1;
      },
      show: () => undefined,
    });
  } finally {
    await receiver.close();
  }
  return steps;
}
