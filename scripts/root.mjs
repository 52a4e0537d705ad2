import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** The top folder of the repository, whatever the current folder is. */
export const ROOT = path.resolve(import.meta.dirname, '..');

/** Downloads that can be fetched again: tools and servers. Never data. */
export const CACHE_DIR = path.join(ROOT, '.cache');

/** @param {...string} segments path below the top folder @returns {string} the absolute path */
export const inRoot = (...segments) => path.join(ROOT, ...segments);

/** Where to import a built file from: the scripts run before any TypeScript loader exists.
 * @param {string} packageFolder such as `libs/messaging` @param {string} [file] below `dist` */
export const builtFile = (packageFolder, file = 'index.js') => pathToFileURL(inRoot(packageFolder, 'dist', file)).href;
