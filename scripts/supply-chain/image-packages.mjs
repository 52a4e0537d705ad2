import { realpathSync } from 'node:fs';
import { findPackage } from '../bundle/find-package.mjs';
import { inRoot } from '../root.mjs';
import { installedPackages } from './installed-packages.mjs';

/** @typedef {import('./installed-packages.mjs').InstalledPackage} InstalledPackage */

/**
 * The packages of an image: what the bundler has put into its programs, and what stays outside.
 * @param {import('./images.mjs').Image} image
 * @returns {{ package: InstalledPackage, isBundled: boolean }[]} sorted by name and version
 * @throws {Error} when the build contains a package that is not installed any more
 */
export function imagePackages({ builds }) {
  /** @type {Map<string, { package: InstalledPackage, isBundled: boolean }>} */
  const found = new Map();
  for (const { app, contents } of builds) {
    const folder = realpathSync(inRoot('apps', app));
    const bundled = new Set(Object.values(contents.programs).flat());
    const folders = [...bundled].map((key) => inRoot(contents.packages[key] ?? ''));
    const installed = installedPackages([folder, ...folders]);
    for (const key of bundled) {
      const one = installed.get(key);
      if (!one) throw new Error(`${key} is in the build of ${app}, but is not installed any more: npm run build`);
      found.set(key, { package: one, isBundled: true });
    }
    for (const [key, one] of outsidePackages(folder, contents.outside)) {
      if (!found.has(key)) found.set(key, { package: one, isBundled: false });
    }
  }
  return [...found].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, one]) => one);
}

/**
 * What an image has in its `node_modules`: the packages and, of their compiled parts, those for this kind of machine. Other
 * dependencies of such packages are not copied: what they need at run time, bundles contain.
 * @param {string} app folder
 * @param {readonly string[]} names
 * @returns {Map<string, InstalledPackage>}
 */
function outsidePackages(app, names) {
  const folders = names.map((name) => findPackage(app, name)).filter((folder) => folder !== undefined);
  const installed = installedPackages(folders);
  const parts = new Set(
    [...installed.values()].flatMap(({ manifest }) => Object.keys(manifest.optionalDependencies ?? {})),
  );
  return new Map([...installed].filter(([, { name }]) => names.includes(name) || parts.has(name)));
}
