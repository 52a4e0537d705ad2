import { realpathSync } from 'node:fs';
import { findPackage } from '../bundle/find-package.mjs';
import { inRoot } from '../root.mjs';
import { installedPackages } from './installed-packages.mjs';

/** @typedef {import('./installed-packages.mjs').InstalledPackage} InstalledPackage */

/**
 * The packages of an image: what the bundler has put into its programs, and what stays outside with all that it needs.
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
    const outside = contents.outside.map((name) => findPackage(folder, name)).filter((place) => place !== undefined);
    for (const [key, one] of installedPackages(outside)) {
      if (!found.has(key)) found.set(key, { package: one, isBundled: false });
    }
  }
  return [...found].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, one]) => one);
}
