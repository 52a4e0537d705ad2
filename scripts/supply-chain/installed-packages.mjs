import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { findPackage } from '../bundle/find-package.mjs';
import { inRoot, ROOT } from '../root.mjs';

/**
 * A package as it is installed.
 * @typedef {object} InstalledPackage
 * @property {string} name
 * @property {string} version
 * @property {string} folder
 * @property {boolean} isOwn whether it belongs to this repository
 * @property {Manifest} manifest
 * @property {Set<string>} dependencies `name@version` of what it needs while it runs and what is installed of it
 */

/**
 * The part of a package.json that is looked at.
 * @typedef {object} Manifest
 * @property {string} name
 * @property {string} version
 * @property {string} [description]
 * @property {readonly string[]} [os] kinds of machines that it is made for
 * @property {readonly string[]} [cpu]
 * @property {string | { name: string }} [author]
 * @property {unknown} [license]
 * @property {unknown} [licenses]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [optionalDependencies]
 * @property {Record<string, string>} [peerDependencies]
 */

/** What leaves the house: the services, the command-line program, and the library that app developers install. */
export const shippedFolders = () => [
  ...readdirSync(inRoot('apps')).map((name) => inRoot('apps', name)),
  inRoot('libs', 'sdk'),
];

/**
 * Walks what packages need while they run, as Node would find it. What tests and tools need is not followed.
 * @param {readonly string[]} folders of the packages to begin with
 * @returns {Map<string, InstalledPackage>} those and all that they need, by `name@version`, sorted
 */
export function installedPackages(folders) {
  /** @type {Map<string, InstalledPackage>} */
  const found = new Map();
  /** @type {Set<string>} */
  const visited = new Set();
  /** @param {string} folder */
  const visit = (folder) => {
    /** @type {Manifest} */
    const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    const { name, version } = manifest;
    const key = `${name}@${version}`;
    if (visited.has(folder)) return key;
    visited.add(folder);
    const isOwn = !path.relative(ROOT, folder).split(path.sep).includes('node_modules');
    // The same version can be installed several times, with other versions beside it; what any of them needs counts.
    const one = found.get(key) ?? { name, version, folder, isOwn, manifest, dependencies: new Set() };
    found.set(key, one);
    for (const needed of neededBy(manifest)) {
      const place = findPackage(folder, needed);
      if (place) one.dependencies.add(visit(place));
    }
    return key;
  };
  for (const folder of folders) visit(realpathSync(folder));
  return new Map([...found].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** @param {Manifest} manifest */
const neededBy = ({ dependencies, optionalDependencies, peerDependencies }) =>
  Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
