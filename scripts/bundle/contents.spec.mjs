import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { inRoot } from '../root.mjs';
import { contentsOf } from './contents.mjs';
import { findPackage } from './find-package.mjs';

const APP = inRoot('apps', 'identity');
const JOSE = findPackage(APP, 'jose') ?? '';
const RXJS = findPackage(APP, 'rxjs') ?? '';

const key = (/** @type {string} */ folder) => {
  const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  return `${name}@${version}`;
};

/** @type {import('./contents.mjs').Chunk[]} */
const OUTPUT = [
  {
    type: 'chunk',
    fileName: 'main.js',
    isEntry: true,
    modules: {
      [inRoot('apps', 'identity', 'src', 'main.ts')]: { renderedLength: 10 },
      [`${RXJS}/dist/index.js`]: { renderedLength: 0 },
      '\0rolldown/runtime.js': { renderedLength: 5 },
    },
    imports: ['chunks/shared.js', 'node:fs', 'events', 'reflect-metadata'],
    dynamicImports: ['chunks/later.js'],
  },
  { type: 'chunk', fileName: 'seed.js', isEntry: true, modules: {}, imports: ['chunks/shared.js'] },
  {
    type: 'chunk',
    fileName: 'chunks/shared.js',
    modules: { [inRoot('libs', 'database', 'src', 'index.ts')]: { renderedLength: 10 } },
    imports: ['main.js', 'pg-native', '@node-rs/argon2/sub'],
  },
  {
    type: 'chunk',
    fileName: 'chunks/later.js',
    modules: { [`${JOSE}/dist/index.js`]: { renderedLength: 10 } },
    code: "const folder = createRequire(import.meta.url).resolve('nodemailer/package.json');",
  },
  { type: 'asset', fileName: 'main.js.map' },
];

describe('what is in the files of a build', () => {
  const contents = contentsOf(APP, OUTPUT);

  it('lists for each program the packages of its chunks, those that are loaded later included', () => {
    expect(contents.programs['main.js']).toEqual(['@crm/database@0.1.0', '@crm/identity@0.1.0', key(JOSE)]);
  });

  it('lists no package of which nothing has been taken', () => {
    expect(contents.programs['main.js']).not.toContain(key(RXJS));
  });

  it('lists where each package is', () => {
    expect(contents.packages['@crm/database@0.1.0']).toBe('libs/database');
    expect(inRoot(contents.packages[key(JOSE)] ?? '')).toBe(JOSE);
  });

  it('lists what is imported or read from node_modules at run time, if it is installed', () => {
    expect(contents.outside).toEqual(['@node-rs/argon2', 'nodemailer', 'reflect-metadata']);
  });
});
