import { createRequire } from 'node:module';
import path from 'node:path';
import { CACHE_DIR } from '../root.mjs';

const require = createRequire(import.meta.url);

/** For the environment of a program that is started often: what Node has compiled is kept, which starts a service in two thirds of the time. */
export const KEEP_COMPILED = { NODE_COMPILE_CACHE: path.join(CACHE_DIR, 'compiled') };

/** The Node of the images (deploy/Dockerfile), which the lockfile brings for Linux; where it does not, the one that runs us.
 * @returns {string} its program; known once packages are installed */
export function nodeProgram() {
  try {
    const description = require.resolve(`node-${process.platform}-${process.arch}/package.json`);
    return path.join(path.dirname(description), 'bin', 'node');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'MODULE_NOT_FOUND') throw error;
    return process.execPath;
  }
}
