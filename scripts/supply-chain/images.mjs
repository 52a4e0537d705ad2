import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pagesOf } from '../bundle/pages.mjs';
import { PlainError } from '../plain-error.mjs';
import { serviceList } from '../platform/services.mjs';
import { inRoot } from '../root.mjs';

/** @typedef {import('../bundle/contents.mjs').Contents} Contents */

/**
 * An image and what is built for it.
 * @typedef {object} Image
 * @property {string} name as in `crm/<name>:<version>`
 * @property {readonly { app: string, contents: Contents }[]} builds the apps whose programs are in it, with what those are
 *   made of
 */

/** The image that brings databases and streams up to date: its own program, if it has one, and every service's migrations. */
const MIGRATE = 'migrate';
const MIGRATIONS = 'migrations/index.js';

/**
 * @returns {Promise<Image[]>} what is built, sorted by name
 * @throws {PlainError} when an app is not built
 */
export async function builtImages() {
  /** @type {Map<string, Image['builds'][number][]>} */
  const images = new Map([[MIGRATE, []]]);
  const { SERVICES } = await serviceList();
  for (const app of [...SERVICES, ...(existsSync(inRoot('apps', MIGRATE)) ? [MIGRATE] : [])]) {
    const contents = await contentsOf(app);
    images.set(app, [...(images.get(app) ?? []), { app, contents: pick(contents, (file) => !file.includes('/')) }]);
    for (const page of pagesOf(app).filter((name) => existsSync(inRoot('apps', name)))) {
      images.get(app)?.push({ app: page, contents: await contentsOf(page) });
    }
    const migrations = pick(contents, (file) => file === MIGRATIONS);
    // What migrations take from outside is there for the program that runs them.
    if (Object.keys(migrations.programs).length > 0) {
      images.get(MIGRATE)?.push({ app, contents: { ...migrations, outside: [] } });
    }
  }
  return [...images]
    .map(([name, builds]) => ({ name, builds }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

/**
 * @param {Contents} contents
 * @param {(program: string) => boolean} isWanted
 * @returns {Contents} the same with the wanted programs alone
 */
const pick = (contents, isWanted) => ({
  ...contents,
  programs: Object.fromEntries(Object.entries(contents.programs).filter(([program]) => isWanted(program))),
});

/**
 * @param {string} app
 * @returns {Promise<Contents>}
 */
async function contentsOf(app) {
  try {
    return JSON.parse(await readFile(inRoot('apps', app, 'dist', 'contents.json'), 'utf8'));
  } catch (cause) {
    throw new PlainError(`apps/${app} is not built, so nobody knows what its image contains: npm run build`, { cause });
  }
}
