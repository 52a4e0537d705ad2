import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { inRoot } from '../root.mjs';
import { copyOutsidePackages } from './outside-packages.mjs';
import { programFiles } from './program-files.mjs';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'crm-assemble-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the files of a program', () => {
  const write = async (/** @type {string} */ name, /** @type {string} */ code) => {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), code);
  };

  it('are those that it imports, also later or from elsewhere in the bundle, with their source maps', async () => {
    await write(
      'main.js',
      'import { a } from "./chunks/a-1.js";\nimport pg from "pg";\nimport "./chunks/effect-2.js";',
    );
    await write('chunks/a-1.js', 'export const a = () => import("./later-3.js");');
    await write('chunks/later-3.js', 'export { a } from "../chunks/a-1.js";');
    await write('chunks/effect-2.js', '');
    await write('chunks/unreached-4.js', '');
    await write('migrations/index.js', 'import { a } from "../chunks/effect-2.js";');
    await write('chunks/a-1.js.map', '{}');
    expect(await programFiles(folder, ['main.js'])).toEqual([
      'chunks/a-1.js',
      'chunks/a-1.js.map',
      'chunks/effect-2.js',
      'chunks/later-3.js',
      'main.js',
    ]);
    expect(await programFiles(folder, ['migrations/index.js'])).toEqual(['chunks/effect-2.js', 'migrations/index.js']);
  });

  it('fail when one is missing', async () => {
    await write('main.js', 'import { a } from "./chunks/a-1.js";');
    await expect(programFiles(folder, ['main.js'])).rejects.toThrow('a-1.js');
  });
});

describe('the packages outside of the bundles', () => {
  it('are copied for the app that depends on them, with what they load and their licences alone', async () => {
    const versions = await copyOutsidePackages(inRoot('apps', 'identity'), folder);
    expect(Object.keys(versions)).toEqual([
      '@node-rs/argon2',
      expect.stringMatching(/^@node-rs\/argon2-/),
      'reflect-metadata',
    ]);
    const compiled = await readdir(path.join(folder, Object.keys(versions)[1] ?? ''));
    expect(compiled.some((name) => name.endsWith('.node'))).toBe(true);
    const files = (await readdir(folder, { recursive: true })).filter((name) => /\.(ts|md|map)$/.test(name));
    expect(files).toEqual([]);
    const { version, scripts } = JSON.parse(
      await readFile(path.join(folder, 'reflect-metadata', 'package.json'), 'utf8'),
    );
    expect([version, scripts]).toEqual([versions['reflect-metadata'], undefined]);
  });

  it('include the page of the API documentation at the edges', async () => {
    await copyOutsidePackages(inRoot('apps', 'gateway'), folder);
    expect(await readdir(path.join(folder, 'swagger-ui-dist'))).toEqual(
      expect.arrayContaining(['LICENSE', 'package.json', 'swagger-ui-bundle.js', 'swagger-ui.css']),
    );
  });
});
