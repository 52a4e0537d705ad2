import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { buildImage, COMMIT_LABELS, expectedLabels } from './build.mjs';
import { labelProblems, licenceTexts } from './check.mjs';

describe('the labels of an image', () => {
  it('must be those of the Dockerfile and of the commit', async () => {
    const expected = await expectedLabels('gateway');
    expect(expected['org.opencontainers.image.title']).toBe('crm/gateway');
    expect(expected['org.opencontainers.image.revision']).toMatch(/^([0-9a-f]{40}|unknown)$/);
    expect(Object.values(expected).join()).not.toContain('$');
    expect(labelProblems({ ...expected, other: 'of the builder' }, expected)).toEqual([]);
    const stale = { ...expected, 'org.opencontainers.image.revision': 'abc' };
    expect(labelProblems(stale, expected)).toEqual([
      expect.stringMatching(/^has the label org\.opencontainers\.image\.revision abc, and not /),
    ]);
  });

  it('are those of the commit also when the builder finds the image of an earlier one', async () => {
    const expected = await expectedLabels('gateway');
    const earlier = Object.fromEntries(Object.keys(COMMIT_LABELS).map((label) => [label, 'earlier']));
    /** @type {Record<string, Record<string, string>>} */
    const images = {};
    const buildah = {
      /** @param {string[]} args */
      run: async ([command, ...args]) => {
        const valuesOf = (/** @type {string} */ option) => args.filter((_, index) => args[index - 1] === option);
        if (command === 'build') images[valuesOf('--tag')[0] ?? ''] = { ...expected, ...earlier };
        if (command === 'config') {
          const labels = images[args.at(-1) ?? ''] ?? {};
          for (const [label = '', value = ''] of valuesOf('--label').map((one) => one.split('=')))
            labels[label] = value;
        }
        return '';
      },
      /** @param {string} from @param {string} to @param {(container: string) => Promise<void>} change */
      derive: async (from, to, change) => {
        images.container = { ...images[from] };
        await change('container');
        images[to] = images.container;
      },
    };
    const image = await buildImage(/** @type {any} */ (buildah), 'gateway', {});
    expect(labelProblems(images[image] ?? {}, expected)).toEqual([]);
  });
});

describe('the licences in an image', () => {
  let root = '';
  const write = async (/** @type {string} */ file, /** @type {string} */ text) => {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), text);
  };
  beforeEach(async () => {
    root = await mkdtemp(path.join(os.tmpdir(), 'crm-check-'));
    const components = [
      { group: '@scope', name: 'native', version: '1.0.0', purl: 'pkg:npm/%40scope/native@1.0.0' },
      { name: 'left', version: '1.2.3', purl: 'pkg:npm/left@1.2.3' },
      { group: '@crm', name: 'http', version: '0.1.0' },
    ];
    await write('app/sbom.cdx.json', JSON.stringify({ components }));
    await write('app/NOTICES.txt', 'left 1.2.3 (MIT)\n\nBe kind.\n\n@scope/native 1.0.0 (ISC)\n');
    await write('var/lib/dpkg/status', 'Package: gcc-base\nVersion: 1\n\nPackage: libgcc\nDepends: gcc-base\n');
    await write('usr/share/doc/gcc-base/copyright', 'GPL-3');
    await symlink('gcc-base', path.join(root, 'usr/share/doc/libgcc'));
    await write('usr/local/LICENSE', 'Node');
  });
  afterEach(() => rm(root, { recursive: true }));

  it('are those of npm packages, of Debian packages and of Node', async () => {
    expect(await licenceTexts(root)).toEqual({ problems: [], count: 5 });
  });

  it.each([
    ['app/NOTICES.txt', 'left 1.2.30 (MIT)\n@scope/native 1.0.0 (ISC)', 'has no licence of left 1.2.3'],
    ['usr/share/doc/gcc-base/copyright', '', 'has no licence of gcc-base'],
    ['usr/local/LICENSE', ' ', 'has no licence of Node'],
    ['app/sbom.cdx.json', '', 'has no bill of materials, or no list of Debian packages'],
    ['var/lib/dpkg/status', '', 'has no bill of materials, or no list of Debian packages'],
  ])('are missed in %s', async (file, text, problem) => {
    await write(file, text);
    expect((await licenceTexts(root)).problems).toContain(problem);
  });
});
