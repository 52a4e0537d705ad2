import { walkJourney } from '../demo/journey.mjs';
import { startDemoReceiver } from '../demo/receiver.mjs';
import { PlainError } from '../plain-error.mjs';
import { get } from '../platform/readiness.mjs';

/** @typedef {import('./container-platform.mjs').ContainerPlatform} ContainerPlatform */

const DOCUMENTATION = ['/api/docs', '/api/docs/assets/swagger-ui-bundle.js', '/api/docs/assets/swagger-ui.css'];

/** What the edges serve from files of their images, besides the assets of the embed page. */
const PAGES = {
  baseUrl: DOCUMENTATION,
  adminUrl: DOCUMENTATION,
  embedApiUrl: DOCUMENTATION,
};

/** Any client gets the page; it names its script and style, whose names change with their content. */
const EMBED_PAGE = '/embed/embed_of_nobody';

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
  const document = await readPage(`${addresses.embedApiUrl}${EMBED_PAGE}`);
  const assets = [...document.matchAll(/"(\/embed\/assets\/[^"]+)"/g)].map(([, path]) => path);
  if (!['.js', '.css'].every((type) => assets.some((path) => path?.endsWith(type)))) {
    throw new PlainError(`The embed page names no script or no style:\n${document}`);
  }
  const urls = [
    ...edges.flatMap((edge) => PAGES[edge].map((path) => `${addresses[edge]}${path}`)),
    ...assets.map((path) => `${addresses.embedApiUrl}${path}`),
  ];
  for (const url of urls) await readPage(url);
  return urls.length + 1;
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
