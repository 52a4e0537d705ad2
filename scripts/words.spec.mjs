import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { inRoot } from './root.mjs';
import { repositoryFiles } from './testing/repository-files.mjs';

/** A comment, or else a text in quotes or a regular expression, which may have quotes. */
const TOKEN =
  /(\/\/.*|\/\*[\s\S]*?\*\/)|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|(?<=[=(,:!&|?;{}[\n+] ?)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//g;

/** The words of a text, also of the names in it: `freeSlots` and `FREE_SLOTS` have two. */
const wordsIn = (/** @type {string} */ text) =>
  text
    .replace(/([a-z\d])(?=[A-Z])/g, '$1 ')
    .replace(/[^a-z\d]+/gi, ' ')
    .toLowerCase();

/** Rows of "Not in code" in the glossary. */
function rules() {
  const [, section = ''] = readFileSync(inRoot('docs', 'glossary.md'), 'utf8').split('## Not in code\n');
  const [, , ...rows] = section.split('\n## ', 1)[0]?.match(/^\|.*(?=\|$)/gm) ?? [];
  return rows.map((row) => {
    const [, not = '', , exceptions = ''] = row.split('|').map((cell) => cell.trim());
    const [word = ''] = not.split(' in a longer name');
    const paths = [...exceptions.matchAll(/`(.*?)`/g)].map(([, path = '']) => path);
    return { word, pattern: new RegExp(`\\b${word}s?\\b`), isPartOfName: word !== not, paths };
  });
}

it('no name or comment of code has a word that the glossary replaces by another one', () => {
  const all = rules();
  expect(all.length).toBeGreaterThan(5);
  const files = repositoryFiles().filter((file) => /\.(?:tsx?|[cm]?js)$/.test(file) && !file.includes('/migrations/'));
  expect(files.length).toBeGreaterThan(1_000);
  const found = files.flatMap((file) => {
    const source = readFileSync(inRoot(...file.split('/')), 'utf8');
    const read = source.replace(TOKEN, (_, comment) => comment ?? ' ');
    const code = source.replace(TOKEN, ' ');
    const names = (code.match(/\w+/g) ?? []).map(wordsIn).filter((name) => name.includes(' '));
    const words = wordsIn(read);
    return all
      .filter(({ paths }) => !paths.some((path) => file.startsWith(path)))
      .filter(({ pattern, isPartOfName }) => pattern.test(isPartOfName ? names.join(' , ') : words))
      .map(({ word }) => `${file}: ${word}`);
  });
  expect(found).toEqual([]);
});
