import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ERRORS } from '../libs/contracts/src/errors.js';
import { CUSTOM_OBJECT_LIMITS, PLANS, STORAGE_LIMITS } from '../libs/contracts/src/plans.js';
import { inRoot } from './root.mjs';
import { repositoryFiles } from './testing/repository-files.mjs';

const tracked = repositoryFiles();
const pages = tracked.filter((file) => file.endsWith('.md') && existsSync(inRoot(file)));
const folders = new Set(tracked.flatMap((file) => parents(file)));
const FIRST = new Set(tracked.filter((file) => file.includes('/')).map((file) => file.split('/')[0]));

/** Written by a build or by the reader, so a clone has none of them. */
const NOT_IN_A_CLONE =
  /^(?:docs\/reference|deploy\/compose\/secrets|(?:(?:apps|libs)\/[^/]+\/)?dist(?:\/|$)|libs\/sdk\/src\/generated|provider\.mjs$|note\/note\.)/;

/** @param {string} file */
function parents(file) {
  const parts = file.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

/** Text without blocks of code. @param {string} page */
const proseOf = (page) => readFileSync(inRoot(page), 'utf8').replace(/^ *```[\s\S]*?^ *```/gm, '');

/** Anchors as GitHub makes them. @param {string} page */
function anchorsOf(page) {
  const seen = new Map();
  return [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => {
    const anchor = title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

/** @param {string} page */
function brokenLinks(page) {
  return [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^(?:https?|mailto):/.test(link))
    .filter((link) => {
      const [to = '', anchor] = link.split('#');
      const target = to === '' ? page : path.posix.join(path.posix.dirname(page), to);
      if (!existsSync(inRoot(target))) return true;
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor);
    });
}

/** Code spans that name a file, or a path from the root or, in the README of a package, from there. @param {string} page */
function unknownPaths(page) {
  const here = path.posix.dirname(page);
  const isOfPackage = tracked.includes(`${here}/package.json`);
  const spans = [...proseOf(page).matchAll(/`([\w.@<>*/-]+)`/g)].map(([, span = '']) => span.replace(/\/$/, ''));
  return spans.filter((span) => {
    if (NOT_IN_A_CLONE.test(span) || /^\.\w+(?:\.\w+)?$/.test(span)) return false;
    if (/^\.\.\//.test(span)) return false;
    if (/^(?:src|test)\//.test(span)) return isOfPackage && !exists(`${here}/${span}`, '^');
    if (span.includes('/') && FIRST.has(span.split('/')[0] ?? '')) return !exists(span, '^');
    return /\w\.(?:ts|tsx|mjs|cjs|md)$/.test(span) && !exists(span, '(?:^|/)');
  });
}

/** `<noun>` and `*` stand for anything in a segment. @param {string} name @param {string} start of the pattern */
function exists(name, start) {
  const pattern = new RegExp(`${start}${name.replace(/[.@-]/g, '\\$&').replace(/<[\w-]+>|\*+/g, '[^/]*')}$`);
  return tracked.some((file) => pattern.test(file)) || [...folders].some((folder) => pattern.test(folder));
}

/** First cells of tables headed "folder of `path`". @param {string} page */
function unknownFolders(page) {
  return [...proseOf(page).matchAll(/^\| folder of `([^`]+)` .*\n\|-.*\n((?:\|.*\n?)+)/gm)].flatMap(
    ([, of = '', rows = '']) =>
      [...rows.matchAll(/^\| `([^`]+)`/gm)]
        .map(([, name = '']) => `${of}/${name}`)
        .filter((folder) => !folders.has(folder)),
  );
}

describe('the documents', () => {
  it.each(pages)('lead to pages and places that exist: %s', (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });

  it.each(pages)('name files that exist: %s', (page) => {
    expect([...unknownPaths(page), ...unknownFolders(page)]).toEqual([]);
  });

  it('explain each error of the catalogue once, with its status', () => {
    const rows = [...proseOf('docs/errors.md').matchAll(/^\| (`[A-Z_`, ]+`) \| (\d{3}) \| [^|]+ \| [^|]+ \|$/gm)];
    const explained = rows.flatMap(([, codes = '', status]) =>
      [...codes.matchAll(/`([A-Z_]+)`/g)].map(([, code]) => `${code} ${status}`),
    );
    expect(explained.sort()).toEqual(
      Object.values(ERRORS)
        .map(({ code, status }) => `${code} ${status}`)
        .sort(),
    );
  });

  it('show the limits of each plan', () => {
    const page = proseOf('docs/plans-and-limits.md');
    const rowOf = (/** @type {string} */ name) =>
      page.match(new RegExp(`^\\| ${name} \\| (.+?) \\| (.+?) \\| (.+?) \\|`, 'm'))?.slice(1);
    const inWords = (/** @type {number} */ count) => count.toLocaleString('en-US');
    expect(rowOf('records')).toEqual(PLANS.map((plan) => inWords(STORAGE_LIMITS[plan].records)));
    expect(rowOf('bytes of values and notes')).toEqual(
      PLANS.map((plan) => `${STORAGE_LIMITS[plan].bytes / 10 ** 9} GB`),
    );
    expect(rowOf('users')).toEqual(PLANS.map((plan) => inWords(STORAGE_LIMITS[plan].users)));
    expect(rowOf('custom objects')).toEqual(PLANS.map((plan) => inWords(CUSTOM_OBJECT_LIMITS[plan])));
  });
});
