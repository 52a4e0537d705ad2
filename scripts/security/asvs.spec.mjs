import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { inRoot } from '../root.mjs';

const FOLDER = inRoot('docs', 'security');
const read = (/** @type {string} */ page) => readFileSync(path.join(FOLDER, page), 'utf8');

/** Targets of links, without addresses and places in a page. */
const linksOf = (/** @type {string} */ text) =>
  [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, to = '']) => to).filter((to) => !/^https?:/.test(to));

/** Paths in code spans that begin in a folder of the repository. */
const pathsOf = (/** @type {string} */ text) =>
  [...text.matchAll(/`((?:apps|libs|e2e|scripts|docs|k8s|deploy|examples)\/[^`\s]+)`/g)].map(([, to = '']) => to);

describe('the pages on security', () => {
  it.each(['asvs.md', 'threat-model.md'])('name files that exist: %s', (page) => {
    const text = read(page);
    expect(linksOf(text).length).toBeGreaterThan(20);
    expect([
      ...linksOf(text).filter((to) => !existsSync(path.resolve(FOLDER, to))),
      ...pathsOf(text).filter((to) => !existsSync(inRoot(to))),
    ]).toEqual([]);
  });

  it('say of each requirement of ASVS 5.0.0 at levels 1 and 2 how it stands, and name a test where it is met', () => {
    const rows = read('asvs.md')
      .split('\n')
      .filter((line) => /^\|\s*V\d+\./.test(line))
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    expect(new Set(rows.map(([id]) => id)).size).toBe(253);
    const wrong = rows.filter(([, level = '', asked, state = '', how, shown = '', ...more]) => {
      const isWhole = /^[12]$/.test(level) && asked && how && more.length === 0;
      if (state === 'met') return !isWhole || !linksOf(shown).some((to) => /\.spec\.(?:ts|mjs)$/.test(to));
      if (state === 'open') return !isWhole || shown === '';
      return !isWhole || !['met, no test', 'not applicable'].includes(state);
    });
    expect([rows.length, wrong]).toEqual([253, []]);
  });
});
