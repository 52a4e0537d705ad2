import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';

const KIBIBYTE = 1024;

const DIST = path.resolve(import.meta.dirname, '..', 'dist');
const assets = readdirSync(path.join(DIST, 'assets'));
const contentOf = (name: string) => readFileSync(path.join(DIST, 'assets', name));

describe('the built page', () => {
  const document = readFileSync(path.join(DIST, 'index.html'), 'utf8');
  const sizeOf = (names: readonly string[]) => names.reduce((sum, name) => sum + gzipSync(contentOf(name)).length, 0);
  const ending = (text: string) => assets.filter((name) => name.endsWith(text));

  it('has at most 175 KiB of scripts for the first view, and 18 KiB of styles: a host waits for them', () => {
    const first = ending('.js').filter((name) => document.includes(name));
    expect(first.length).toBeGreaterThan(0);
    expect(sizeOf(first)).toBeLessThanOrEqual(175 * KIBIBYTE);
    expect(sizeOf(ending('.css'))).toBeLessThanOrEqual(18 * KIBIBYTE);
  });

  it('has every file compressed, and nothing inline that its policy would refuse', () => {
    const plain = assets.filter((name) => !/\.(?:br|gz)$/.test(name));
    expect(plain.flatMap((name) => [`${name}.br`, `${name}.gz`]).filter((name) => !assets.includes(name))).toEqual([]);
    expect(document).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=/);
    expect(document).toMatch(/^<!doctype html>\s*<html /);
  });

  it('makes no code from text, which its policy would refuse', () => {
    const scripts = assets.filter((name) => name.endsWith('.js'));
    expect(scripts.map(contentOf).join('')).not.toMatch(/\bnew Function\b|\beval\(/);
  });
});
