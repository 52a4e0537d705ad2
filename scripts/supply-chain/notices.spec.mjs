import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { noticesOf } from './notices.mjs';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'crm-notices-'));
});
afterEach(() => rm(root, { recursive: true }));

describe('the notices of an image', () => {
  /**
   * @param {Record<string, string>} files
   * @param {object} [fields]
   */
  const noticeOf = async (files, fields = {}) => {
    const folder = path.join(root, 'left');
    await mkdir(folder);
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    const manifest = { name: 'left', version: '1.2.3', license: 'MIT', ...fields };
    const text = await noticesOf('crm/identity', [{ name: 'left', version: '1.2.3', folder, manifest }]);
    return text.split(`${'-'.repeat(80)}\n\n`)[1];
  };

  it('say where those of the base are', async () => {
    const text = await noticesOf('crm/identity', []);
    expect(text).toMatch(/^The image crm\/identity .*\/usr\/local\/LICENSE.*\/usr\/share\/doc\//s);
  });

  it('have every file that a package keeps a licence or a notice in', async () => {
    const files = {
      LICENSE: 'Be kind.\r\n',
      'NOTICE.txt': 'By me.',
      'README.md': '# License\nElsewhere',
      'index.js': '',
    };
    expect(await noticeOf(files)).toBe('left 1.2.3 (MIT)\n\nBe kind.\n\nBy me.\n');
  });

  it.each([
    ['# left\n\n## License\n\nCopyright (c) me\n\nBe kind.\n\n### Of parts\n\nToo.\n\n## Thanks\nAll'],
    ['# left\n\n## license \n\nCopyright (c) me\n\nBe kind.\n\n### Of parts\n\nToo.'],
  ])('have what the README says where there is no such file', async (readme) => {
    expect(await noticeOf({ 'Readme.md': readme })).toBe(
      'left 1.2.3 (MIT)\n\nCopyright (c) me\n\nBe kind.\n\n### Of parts\n\nToo.\n',
    );
  });

  it('say that a package has no text, and whose it is', async () => {
    const files = { 'README.md': '# left\n\nLicense: MIT\n' };
    expect(await noticeOf(files, { author: { name: 'Ada' } })).toBe(
      'left 1.2.3 (MIT)\n\nThe package contains no text of its licence. Its author is Ada.\n',
    );
  });
});
