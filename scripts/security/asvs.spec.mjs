import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { inRoot } from '../root.mjs';

const PAGE = readFileSync(inRoot('docs', 'security', 'asvs.md'), 'utf8');

/** Targets of links, without addresses and places in a page. */
const linksOf = (/** @type {string} */ text) =>
  [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, to = '']) => to).filter((to) => !/^https?:/.test(to));

describe('the page on ASVS', () => {
  it('says of each requirement of ASVS 5.0.0 at levels 1 and 2 how it stands, and names a test where it is met', () => {
    const [required = '', others = ''] = PAGE.split('## Not applicable');
    const notApplicable = others.match(/\bV\d+\.\d+\.\d+\b/g) ?? [];
    const rows = required
      .split('\n')
      .filter((line) => /^\|\s*V\d+\./.test(line))
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    expect(new Set([...rows.map(([id]) => id), ...notApplicable]).size).toBe(253);
    const wrong = rows.filter(([, asked, state = '', how, shown = '', ...more]) => {
      const isWhole = asked && how && more.length === 0;
      if (state === 'met') return !isWhole || !linksOf(shown).some((to) => /\.spec\.(?:ts|mjs)$/.test(to));
      if (state === 'open') return !isWhole || shown === '';
      return !isWhole || state !== 'met, no test';
    });
    expect([rows.length + notApplicable.length, wrong]).toEqual([253, []]);
  });
});
