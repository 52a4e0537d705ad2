import { describe, expect, it } from '@jest/globals';
import { onDeleteOf } from './field-definition.js';
import { foldForSearch, foldForSearchUpTo } from './folding.js';
import { withoutLimits } from './problem.js';

describe('the beginning of a text folded for search', () => {
  it.each([
    ['a short text', 'Ärger mit  ÖPNV'],
    ['a long text', 'Größe und Gewicht '.repeat(100)],
    ['a text that begins with white space', `${' '.repeat(300)}Müller`],
    ['a text with many marks', `e${'\u0301'.repeat(250)}tude`],
    ['a sigma that is no longer last', `${'σ'.repeat(109)}Σα`],
  ])('is that of the whole: %s', (_, text) => {
    expect(foldForSearchUpTo(text, 10)).toBe(foldForSearch(text).slice(0, 10));
  });
});

describe('what happens to a record when the one that it refers to is deleted', () => {
  it.each([
    [{ onDelete: 'cascade', required: true }, 'cascade'],
    [{ required: true }, 'restrict'],
    [{}, 'set_null'],
  ] as const)('%j: %s', (field, expected) => {
    expect(onDeleteOf(field)).toBe(expected);
  });
});

it('a problem is told without its limits and the words of its author', () => {
  const problem = { pointer: '/age', code: 'ABOVE_MAX', detail: 'At most 18', params: { max: 18 } } as const;
  expect(withoutLimits(problem)).toEqual({
    pointer: '/age',
    code: 'ABOVE_MAX',
    detail: expect.not.stringMatching('18'),
  });
});
