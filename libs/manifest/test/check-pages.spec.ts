import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { EXAMPLES } from '../src/checks/examples.js';
import { CHECKS, checkListPage, checkPage } from '../src/index.js';
import { SAMPLES } from './samples.js';

const FOLDER = path.resolve(import.meta.dirname, '../../../docs/reference/certification');

if (process.env.WRITE_DOCS) {
  mkdirSync(FOLDER, { recursive: true });
  for (const { id } of CHECKS) writeFileSync(path.join(FOLDER, `${id}.html`), checkPage(id) ?? '');
}

describe('pages of the checks', () => {
  it('are listed for every check', () => {
    for (const { id } of CHECKS) expect(checkListPage()).toContain(`<a href="/docs/certification/${id}">`);
  });

  it.each(CHECKS)('explain $id, with the sample of its tests', ({ id, severity }) => {
    const sample = SAMPLES.find(({ check, packets }) => check === id && (!packets || packets.fails !== undefined));
    const shown = EXAMPLES[id as keyof typeof EXAMPLES];
    expect(shown).toEqual(sample && JSON.parse(JSON.stringify({ ...(sample.packets ?? only(sample)) })));
    const page = checkPage(id) ?? '';
    expect(page).toContain(`<strong>${severity}</strong>`);
    expect(page.includes('<h2>Fails</h2>')).toBe(shown !== undefined);
  });

  it('have no markup but that of the page', () => {
    for (const { id } of CHECKS) {
      const tags = new Set([...(checkPage(id) ?? '').matchAll(/<\/?(!?\w+)/g)].map(([, name]) => name));
      const known = ['!doctype', 'html', 'meta', 'title', 'h1', 'h2', 'p', 'strong', 'code', 'pre', 'a'];
      expect([...tags].filter((name) => !known.includes(name ?? ''))).toEqual([]);
    }
  });

  it('do not exist for anything else', () => {
    for (const id of ['MAN-999', 'toString', 'man-001']) expect(checkPage(id)).toBeUndefined();
  });
});

const only = ({ fails, passes }: { fails: object; passes: object }): object => ({ fails, passes });
