import { existsSync } from 'node:fs';
import { PlainError } from '../plain-error.mjs';
import { builtFile, inRoot } from '../root.mjs';

/** @typedef {import('../../libs/contracts/src/services.js').ServiceName} ServiceName */

/** @returns {Promise<typeof import('../../libs/contracts/src/services.js')>} the processes and their ports, as built */
export const serviceList = () => import(builtFile('libs/contracts', 'services.js'));

/** @param {ServiceName} name @returns {string} the program of a service */
export const mainFile = (name) => inRoot('apps', name, 'dist', 'main.js');

/** @param {readonly ServiceName[]} all @param {readonly string[] | undefined} only names given on the command line; undefined for all
 * @throws {PlainError} for a name that does not exist, or a service that is not built */
export function chooseServices(all, only) {
  const unknown = (only ?? []).filter((name) => !all.some((known) => known === name));
  if (unknown.length > 0) {
    throw new PlainError(`There is no service ${unknown.join(', ')}. Services: ${all.join(', ')}`);
  }
  const chosen = all.filter((name) => !only || only.includes(name));
  const missing = chosen.filter((name) => !existsSync(mainFile(name)));
  if (missing.length > 0) {
    throw new PlainError(`Not built (no dist/main.js): ${missing.join(', ')}\nBy hand: npm run build`);
  }
  return chosen;
}
