import { readdir, readFile } from 'node:fs/promises';
import { PlainError } from '../plain-error.mjs';
import { inRoot } from '../root.mjs';

/** @typedef {import('../bundle/contents.mjs').Contents} Contents */

/**
 * An image and what is built for it.
 * @typedef {object} Image
 * @property {string} name as in `crm/<name>:<version>`
 * @property {readonly { app: string, contents: Contents }[]} builds the apps whose programs are in it, with what those are
 *   made of
 */

/** Programs of an app that are not in its image: migrations have an image of their own, demo data is for development. */
const NOT_IN_SERVICE = ['migrations/index.js', 'seed.js'];

/** The image that brings databases and streams up to date. */
const MIGRATE = 'migrate';

/**
 * @returns {Promise<Image[]>} what is built, sorted by name
 * @throws {PlainError} when a service is not built
 */
export async function builtImages() {
  const apps = (await readdir(inRoot('apps'))).sort();
  /** @type {Image[]} */
  const images = [];
  /** @type {{ app: string, contents: Contents }[]} */
  const migrations = [];
  for (const app of apps) {
    const manifest = JSON.parse(await readFile(inRoot('apps', app, 'package.json'), 'utf8'));
    if (!manifest.scripts?.build?.includes('bundle.mjs')) continue;
    const contents = await contentsOf(app);
    const programs = Object.entries(contents.programs);
    images.push({
      name: app,
      builds: [
        {
          app,
          contents: pick(
            contents,
            programs.filter(([file]) => !NOT_IN_SERVICE.includes(file)),
          ),
        },
      ],
    });
    const migration = programs.filter(([file]) => file === 'migrations/index.js');
    if (migration.length > 0) migrations.push({ app, contents: pick(contents, migration) });
  }
  return [...images, { name: MIGRATE, builds: migrations }].sort((left, right) => (left.name < right.name ? -1 : 1));
}

/**
 * @param {Contents} contents
 * @param {[string, readonly string[]][]} programs
 * @returns {Contents}
 */
const pick = (contents, programs) => ({ ...contents, programs: Object.fromEntries(programs) });

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
