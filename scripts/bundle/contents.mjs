import { existsSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { ROOT } from '../root.mjs';
import { findPackage } from './find-package.mjs';

/**
 * What a build has put into the files of a service, for the bill of materials of its image (decision record 0162).
 * @typedef {object} Contents
 * @property {Record<string, readonly string[]>} programs by file name: the packages that the program and the chunks it may load
 *   were made of, as `name@version`
 * @property {Record<string, string>} packages their folders, from the root of the repository: libraries also take packages that they
 *   do not declare and that happen to be installed
 * @property {readonly string[]} outside packages that are read from `node_modules` while the service runs
 */

/**
 * The part of rolldown's output that is looked at.
 * @typedef {object} Chunk
 * @property {'chunk' | 'asset'} type
 * @property {string} fileName
 * @property {boolean} [isEntry]
 * @property {string} [code]
 * @property {Record<string, { renderedLength: number }>} [modules] by absolute path
 * @property {readonly string[]} [imports]
 * @property {readonly string[]} [dynamicImports]
 */

/** The folder of the package that a file of a library belongs to. */
const LIBRARY = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/;

/** A file that a service finds through Node's resolution and reads, such as those of a page. */
const FOUND_AT_RUN_TIME = /\bcreateRequire\([^()]*\)\.resolve\(["'`]([^"'`]+)["'`]\)/g;

/**
 * @param {string} app folder of the service
 * @param {readonly Chunk[]} output of rolldown
 * @returns {Contents}
 */
export function contentsOf(app, output) {
  const chunks = new Map(output.filter(({ type }) => type === 'chunk').map((chunk) => [chunk.fileName, chunk]));
  /** @type {Map<string, string>} */
  const packages = new Map();
  const programs = [...chunks.values()]
    .filter(({ isEntry }) => isEntry)
    .map((entry) => {
      const folders = new Set(reachable(entry, chunks).flatMap(filesOf).map(packageFolder));
      const keys = [...folders].map((folder) => {
        const key = identityOf(folder);
        packages.set(key, path.relative(ROOT, folder).split(path.sep).join('/'));
        return key;
      });
      return /** @type {const} */ ([entry.fileName, sorted(keys)]);
    });
  const names = [...chunks.values()].flatMap((chunk) => outsideOf(chunk, chunks));
  return {
    programs: Object.fromEntries(programs.toSorted(byName)),
    packages: Object.fromEntries([...packages].sort(byName)),
    // Libraries ask for packages that a service does not have, and cope.
    outside: sorted(names).filter((name) => findPackage(app, name) !== undefined),
  };
}

/**
 * @param {readonly [string, unknown]} left
 * @param {readonly [string, unknown]} right
 */
const byName = ([left], [right]) => (left < right ? -1 : 1);

/**
 * @param {Chunk} entry
 * @param {ReadonlyMap<string, Chunk>} chunks
 * @returns {Chunk[]} the entry and every chunk that it loads, at once or later
 */
function reachable(entry, chunks) {
  const found = new Set([entry]);
  for (const chunk of found) {
    for (const name of importsOf(chunk)) {
      const next = chunks.get(name);
      if (next) found.add(next);
    }
  }
  return [...found];
}

/** @param {Chunk} chunk */
const importsOf = ({ imports = [], dynamicImports = [] }) => [...imports, ...dynamicImports];

/**
 * @param {Chunk} chunk
 * @returns {string[]} the files that something of is in it; modules that the bundler makes itself have no path
 */
const filesOf = ({ modules = {} }) =>
  Object.entries(modules).flatMap(([file, { renderedLength }]) =>
    renderedLength > 0 && path.isAbsolute(file) ? [file] : [],
  );

/**
 * @param {string} file
 * @returns {string} the folder of its package; of ours, the nearest that has a `package.json`
 */
function packageFolder(file) {
  const library = LIBRARY.exec(file)?.[0];
  if (library) return library;
  let folder = path.dirname(file);
  while (folder !== ROOT && !existsSync(path.join(folder, 'package.json'))) folder = path.dirname(folder);
  return folder;
}

/**
 * @param {string} folder of a package
 * @returns {string} `name@version`
 */
function identityOf(folder) {
  const { name, version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return `${name}@${version}`;
}

/**
 * @param {Chunk} chunk
 * @param {ReadonlyMap<string, Chunk>} chunks
 * @returns {string[]} names of the packages that it takes from outside the bundle
 */
function outsideOf(chunk, chunks) {
  const imported = importsOf(chunk).filter((name) => !chunks.has(name));
  const found = [...(chunk.code ?? '').matchAll(FOUND_AT_RUN_TIME)].map(([, specifier = '']) => specifier);
  return [...imported, ...found]
    .filter((specifier) => !specifier.startsWith('node:') && !builtinModules.includes(specifier))
    .map((specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'));
}

/** @param {readonly string[]} texts */
const sorted = (texts) => [...new Set(texts)].sort();
