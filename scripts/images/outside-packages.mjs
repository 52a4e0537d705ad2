import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { OUTSIDE } from '../bundle/outside.mjs';

/** Kept of every package, because its licence asks for it. */
const LEGAL = /^(licen[cs]e|notice|copy)/i;

/**
 * @typedef {object} Manifest
 * @property {string} version
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [optionalDependencies]
 */

/**
 * Copies the packages that could not be bundled, of those that an app depends on, and what they load themselves.
 * @param {string} app folder of the app
 * @param {string} target the node_modules to fill
 * @returns {Promise<Record<string, string>>} the version of each package, by its name
 * @throws {Error} when a package is not installed
 */
export async function copyOutsidePackages(app, target) {
  const { dependencies = {} } = await manifestOf(app);
  /** @type {Record<string, string>} */
  const versions = {};
  for (const [name, { files }] of Object.entries(OUTSIDE)) {
    if (!(name in dependencies)) continue;
    const source = await realpath(path.join(app, 'node_modules', name));
    versions[name] = await copyPackage(source, path.join(target, name), files);
    const { optionalDependencies = {} } = await manifestOf(source);
    // Of the compiled parts, that for this kind of machine is installed; it lies beside the package itself.
    const beside = source.slice(0, source.lastIndexOf('/node_modules/') + '/node_modules'.length);
    const installed = Object.keys(optionalDependencies).filter((part) => existsSync(path.join(beside, part)));
    if (Object.keys(optionalDependencies).length > 0 && installed.length === 0) {
      throw new Error(`${name} has no compiled part for this machine in ${beside}`);
    }
    for (const part of installed) {
      versions[part] = await copyPackage(await realpath(path.join(beside, part)), path.join(target, part), files);
    }
  }
  return versions;
}

/**
 * @param {string} source
 * @param {string} target
 * @param {RegExp} files which files at the top of the package
 * @returns {Promise<string>} its version
 */
async function copyPackage(source, target, files) {
  await mkdir(target, { recursive: true });
  const wanted = (await readdir(source)).filter((name) => files.test(name) || LEGAL.test(name));
  if (!wanted.some((name) => files.test(name))) throw new Error(`${source} has no file that is ${files}`);
  for (const name of wanted) await cp(path.join(source, name), path.join(target, name));
  const {
    scripts: _,
    devDependencies: __,
    ...manifest
  } = JSON.parse(await readFile(path.join(source, 'package.json'), 'utf8'));
  await writeFile(path.join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest.version;
}

/**
 * @param {string} folder
 * @returns {Promise<Manifest>}
 */
const manifestOf = async (folder) => JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
