import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';

/** Compressed with gzip, of all files together. A host's page waits for them. */
const BUDGET = { '.js': 125 * 1024, '.css': 18 * 1024 };

const DIST = path.resolve(import.meta.dirname, '..', 'dist');
const assets = readdirSync(path.join(DIST, 'assets'));
const contentOf = (name: string) => readFileSync(path.join(DIST, 'assets', name));

describe('the built page', () => {
  it.each(Object.entries(BUDGET))('has %s files of at most %d bytes', (ending, budget) => {
    const files = assets.filter((name) => path.extname(name) === ending);
    expect(files.length).toBeGreaterThan(0);
    expect(files.reduce((sum, name) => sum + gzipSync(contentOf(name)).length, 0)).toBeLessThanOrEqual(budget);
  });

  it('has every file compressed, and nothing inline that its policy would refuse', () => {
    const plain = assets.filter((name) => !/\.(?:br|gz)$/.test(name));
    expect(plain.flatMap((name) => [`${name}.br`, `${name}.gz`]).filter((name) => !assets.includes(name))).toEqual([]);
    const document = readFileSync(path.join(DIST, 'index.html'), 'utf8');
    expect(document).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=/);
    expect(document).toMatch(/^<!doctype html>\s*<html /);
  });

  it('makes no code from text, which its policy would refuse', () => {
    const scripts = assets.filter((name) => name.endsWith('.js'));
    expect(scripts.map(contentOf).join('')).not.toMatch(/\bnew Function\b|\beval\(/);
  });
});
