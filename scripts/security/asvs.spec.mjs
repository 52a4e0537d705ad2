import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { inRoot } from '../root.mjs';
import { anchorsOf, countsOf, entriesOf, linksOf, pathsOf, problemsOf } from './asvs.mjs';
import { REQUIREMENTS } from './asvs-requirements.mjs';

const FOLDER = inRoot('docs', 'security');
const ASVS = path.join(FOLDER, 'asvs.md');
const MARKED = /(<!-- counts: begin -->\n)[\s\S]*(<!-- counts: end -->)/;

/** @param {string} file */
const read = (file) => readFileSync(file, 'utf8');

/**
 * Links and paths of a page that lead nowhere.
 * @param {string} file
 */
function deadEnds(file) {
  const text = read(file);
  const isDead = (/** @type {string} */ link) => {
    const [target = '', anchor] = link.split('#');
    const to = target === '' ? file : path.resolve(path.dirname(file), target);
    if (!existsSync(to)) return true;
    return anchor !== undefined && !anchorsOf(read(to)).includes(anchor);
  };
  return [...linksOf(text).filter(isDead), ...pathsOf(text).filter((name) => !existsSync(inRoot(name)))];
}

describe('the requirements of ASVS 5.0.0', () => {
  it('are 70 of level 1 and 183 of level 2', () => {
    const levels = [...REQUIREMENTS.values()];
    expect([levels.filter((level) => level === 1).length, levels.filter((level) => level === 2).length]).toEqual([
      70, 183,
    ]);
  });
});

describe('the page on ASVS', () => {
  it('has each requirement once, with its level, a state, and what the state asks for', () => {
    expect(problemsOf(read(ASVS), REQUIREMENTS)).toEqual([]);
  });

  it('has the counts of its tables (npm run docs writes them)', () => {
    const text = read(ASVS);
    const expected = text.replace(MARKED, (_all, begin, end) => `${begin}\n${countsOf(text)}\n\n${end}`);
    if (process.env.WRITE_DOCS) writeFileSync(ASVS, expected);
    expect(MARKED.test(text)).toBe(true);
    expect(read(ASVS)).toBe(expected);
  });
});

describe('the pages on security', () => {
  it.each(['asvs.md', 'threat-model.md'])('name files and places that exist: %s', (name) => {
    expect(linksOf(read(path.join(FOLDER, name))).length).toBeGreaterThan(20);
    expect(deadEnds(path.join(FOLDER, name))).toEqual([]);
  });
});

describe('a page on ASVS', () => {
  const TEST = '[a](../../a.spec.ts)';
  const requirements = new Map([
    ['V1.1.1', 1],
    ['V1.1.2', 2],
    ['V2.1.1', 1],
  ]);
  const lines = [
    '## V1 One',
    `| V1.1.1 | 1 | something | met | so | ${TEST} |`,
    '| V1.1.2 | 2 | more | not applicable | none | |',
    '## V2 Two',
    '| V2.1.1 | 1 | else | open | not yet | a change |',
  ];
  /** @param {number} index @param {string} line */
  const withLine = (index, line) => problemsOf(lines.with(index, line).join('\n'), requirements);

  it('is read and counted by chapter', () => {
    expect(entriesOf(lines.join('\n'))[0]).toEqual({
      id: 'V1.1.1',
      level: 1,
      asked: 'something',
      state: 'met',
      how: 'so',
      shown: TEST,
    });
    expect(problemsOf(lines.join('\n'), requirements)).toEqual([]);
    expect(countsOf(lines.join('\n')).split('\n').slice(2)).toEqual([
      '| V1 One | 1 | 0 | 1 | 0 | 2 |',
      '| V2 Two | 0 | 0 | 0 | 1 | 1 |',
      '| **all** | **1** | **0** | **1** | **1** | **3** |',
    ]);
  });

  it.each([
    ['', ['V1.1.1 is missing']],
    [lines[2] ?? '', ['V1.1.1 is missing', 'V1.1.2 occurs more than once']],
    [`| V1.1.1 | 2 | something | met | so | ${TEST} |`, ['V1.1.1 is of level 1']],
    [`| V1.1.1 | 1 | something | fine | so | ${TEST} |`, ['V1.1.1 has the unknown state "fine"']],
    ['| V1.1.1 | 1 | something | met | so | somewhere |', ['V1.1.1 is met and names no test']],
    ['| V1.1.1 | 1 | something | met | so | [a](../../a.ts) |', ['V1.1.1 is met and names no test']],
    ['| V1.1.1 | 1 | something | open | so | |', ['V1.1.1 is open and does not say what would close it']],
    [`| V1.1.1 | 1 | something | not applicable | so | ${TEST} |`, ['V1.1.1 has something in the last column']],
    [`| V1.1.1 | 1 | | met | so | ${TEST} |`, ['V1.1.1 says nothing']],
    [
      `| V1.1.1 | 1 | something | met | ${TEST} |`,
      ['V1.1.1 is missing', `not read: | V1.1.1 | 1 | something | met | ${TEST} |`],
    ],
  ])('is refused with the line "%s"', (line, problems) => {
    expect(withLine(1, line)).toEqual(problems);
  });

  it('is refused with a requirement that does not exist at its levels', () => {
    expect(problemsOf([...lines, '| V2.1.9 | 1 | x | open | y | z |'].join('\n'), requirements)).toEqual([
      'V2.1.9 is not a requirement of levels 1 and 2',
    ]);
  });
});

describe('links of a page', () => {
  it('are those to files; paths are those below a folder of the repository', () => {
    const text = 'see [a](../a.md#b), [c](https://example.com/) and `libs/http`, `npm test`, `apps/x y`';
    expect([linksOf(text), pathsOf(text)]).toEqual([['../a.md#b'], ['libs/http']]);
  });

  it('are found when they lead nowhere', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'asvs-'));
    const page = path.join(folder, 'page.md');
    writeFileSync(
      page,
      '# One\n[a](page.md#one) [b](#one) [c](page.md#two) [d](#two) [e](none.md) `libs/http` `libs/none`',
    );
    expect(deadEnds(page)).toEqual(['page.md#two', '#two', 'none.md', 'libs/none']);
    rmSync(folder, { recursive: true });
  });

  it('lead to headings as GitHub names them', () => {
    expect(anchorsOf('# A page\n## What, and why?\ntext\n### `code` and 4. Secrets')).toEqual([
      'a-page',
      'what-and-why',
      'code-and-4-secrets',
    ]);
  });
});
