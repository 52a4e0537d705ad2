import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';

const KIBIBYTE = 1024;
const DIST = path.resolve(import.meta.dirname, '..', 'dist');

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}
const manifest: Readonly<Record<string, Chunk>> = JSON.parse(
  readFileSync(path.join(DIST, '.vite', 'manifest.json'), 'utf8'),
);
const assets = readdirSync(path.join(DIST, 'assets'));
const document = readFileSync(path.join(DIST, 'index.html'), 'utf8');
const sizeOf = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(path.join(DIST, file))).length, 0) / KIBIBYTE;

/** Everything that a visit loads at once for a view. @param entries sources of the document and of its routes */
function filesOf(entries: readonly string[]): ReadonlySet<string> {
  const files = new Set<string>();
  const add = (name: string): void => {
    const chunk = manifest[name];
    if (!chunk) throw new Error(`There is no chunk ${name}`);
    if (files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const imported of chunk.imports ?? []) add(imported);
  };
  for (const entry of entries) add(entry);
  return files;
}

const SHELL = ['index.html', 'features/shell/shell.page.tsx'];

describe('the built console', () => {
  it.each([
    ['a list', 230, [...SHELL, 'features/records/list.page.tsx']],
    ['my day', 230, [...SHELL, 'features/home/home.page.tsx']],
    ['a record', 230, [...SHELL, 'features/records/record.page.tsx']],
    ['the document alone, from which every view starts', 160, ['index.html']],
  ])('loads for %s at most %d KiB of scripts', (_, budget, entries) => {
    expect(sizeOf(filesOf(entries))).toBeLessThanOrEqual(budget);
  });

  it('has at most 18 KiB of styles', () => {
    const styles = assets.filter((name) => name.endsWith('.css')).map((name) => path.join('assets', name));
    expect(styles.length).toBeGreaterThan(0);
    expect(sizeOf(styles)).toBeLessThanOrEqual(18);
  });

  it('has every file compressed, and nothing inline that its policy would refuse', () => {
    const plain = assets.filter((name) => !/\.(?:br|gz)$/.test(name));
    expect(plain.flatMap((name) => [`${name}.br`, `${name}.gz`]).filter((name) => !assets.includes(name))).toEqual([]);
    expect(document).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=/);
    expect(document).toMatch(/^<!doctype html>\s*<html /);
  });

  it('makes no code from text, which its policy would refuse', () => {
    const scripts = assets.filter((name) => name.endsWith('.js'));
    const code = scripts.map((name) => readFileSync(path.join(DIST, 'assets', name), 'utf8')).join('');
    expect(code).not.toMatch(/\bnew Function\b|\beval\(/);
  });
});
