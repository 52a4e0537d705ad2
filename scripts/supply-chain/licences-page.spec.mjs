import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { inRoot } from '../root.mjs';
import { installedPackages, shippedFolders } from './installed-packages.mjs';
import { licencesPage } from './licences-page.mjs';

const PAGE = inRoot('docs', 'reference', 'licences.md');

describe('the page of licences', () => {
  it('lists what is installed (npm run docs writes it)', () => {
    const page = licencesPage(installedPackages(shippedFolders()).values());
    if (process.env.WRITE_DOCS) writeFileSync(PAGE, page);
    expect(readFileSync(PAGE, 'utf8')).toBe(page);
  });
});
