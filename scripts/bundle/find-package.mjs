import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../root.mjs';

/**
 * Finds a package as Node would, but not above this repository.
 * @param {string} from folder of the package that needs it
 * @param {string} name
 * @returns {string | undefined} its real folder; undefined when it is not installed, as what is made for another machine
 */
export function findPackage(from, name) {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const place = path.join(folder, 'node_modules', name);
    if (existsSync(place)) return realpathSync(place);
    if (folder === ROOT || folder === path.dirname(folder)) return undefined;
  }
}
