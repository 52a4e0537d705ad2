import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';

const KIBIBYTE = 1024;

const DIST = path.resolve(import.meta.dirname, '..', 'dist');
const assets = readdirSync(path.join(DIST, 'assets'));
const document = readFileSync(path.join(DIST, 'index.html'), 'utf8');

/** Bytes of files after gzip, which is what a visit waits for. */
const sizeOf = (names: readonly string[]): number =>
  names.reduce((sum, name) => sum + gzipSync(readFileSync(path.join(DIST, 'assets', name))).length, 0);
const ending = (text: string): string[] => assets.filter((name) => name.endsWith(text));

describe('the built page', () => {
  it('has at most 100 KiB of scripts that every visit loads, and 175 of all', () => {
    const first = ending('.js').filter((name) => document.includes(name));
    expect(first).toHaveLength(1);
    expect(sizeOf(first)).toBeLessThanOrEqual(100 * KIBIBYTE);
    expect(sizeOf(ending('.js'))).toBeLessThanOrEqual(175 * KIBIBYTE);
  });

  it('has at most 18 KiB of styles', () => {
    expect(ending('.css').length).toBeGreaterThan(0);
    expect(sizeOf(ending('.css'))).toBeLessThanOrEqual(18 * KIBIBYTE);
  });

  it('has every file compressed, and nothing inline that its policy would refuse', () => {
    const plain = assets.filter((name) => !/\.(?:br|gz)$/.test(name));
    expect(plain.flatMap((name) => [`${name}.br`, `${name}.gz`]).filter((name) => !assets.includes(name))).toEqual([]);
    expect(document).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=/);
  });

  it('makes no code from text, and writes no text as markup', () => {
    const scripts = ending('.js').map((name) => readFileSync(path.join(DIST, 'assets', name), 'utf8'));
    expect(scripts.join('')).not.toMatch(/\bnew Function\b|\beval\(/);
    const sources = readdirSync(path.resolve(DIST, '..', 'src'), { recursive: true, encoding: 'utf8' });
    const own = sources.filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.spec.ts'));
    expect(own.length).toBeGreaterThan(20);
    const texts = own.map((name) => readFileSync(path.resolve(DIST, '..', 'src', name), 'utf8'));
    // What stays is what a known browser is known by, and nothing else.
    expect(own.filter((_, index) => texts[index]?.includes('localStorage'))).toEqual(['known-devices.ts']);
    expect(texts.join('')).not.toMatch(/dangerouslySetInnerHTML|innerHTML|document\.cookie/);
  });
});
