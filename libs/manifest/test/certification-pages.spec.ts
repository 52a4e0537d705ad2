import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CHECKS } from '../src/index.js';
import { indexPage, pageOf } from './certification-pages.js';

const FOLDER = join(import.meta.dirname, '../../../docs/certification');
const pages = new Map([
  ['README.md', indexPage()],
  ...CHECKS.map((check) => [`${check.id}.md`, pageOf(check)] as const),
]);

if (process.env.WRITE_DOCS) {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, text] of pages) writeFileSync(join(FOLDER, name), text);
}

describe('documentation pages of the checks', () => {
  it.each([...pages])('%s is up to date', (name, text) => {
    expect(readFileSync(join(FOLDER, name), 'utf8')).toBe(text);
  });

  it('exist only for checks that exist', () => {
    expect(readdirSync(FOLDER).sort()).toEqual([...pages.keys()].sort());
  });
});
