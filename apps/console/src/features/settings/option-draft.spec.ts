import { describe, expect, it } from '@jest/globals';
import { moved, newValue, withValues } from './option-draft.js';

describe('the value of a new option', () => {
  it.each([
    ['Trade fair', [], 'trade-fair'],
    ['  Größe: über 50 %! ', [], 'grosse-uber-50'],
    ['Web', ['web', 'web-2'], 'web-3'],
    ['…', [], 'option'],
  ])('of %j beside %j is %s', (label, taken, value) => {
    expect(newValue(label, taken)).toBe(value);
  });

  it('is none of the others, and that of a known one stays', () => {
    const option = { active: true, label: 'Web' };
    const sent = withValues(
      [
        { ...option, value: 'web' },
        { ...option, value: '' },
        { ...option, value: '' },
      ],
      ['web-2'],
    );
    expect(sent.map(({ value }) => value)).toEqual(['web', 'web-3', 'web-4']);
  });
});

describe('an option that is moved', () => {
  it.each([
    [0, 1, ['b', 'a', 'c']],
    [2, -1, ['a', 'c', 'b']],
  ] as const)('from place %s by %s', (from, by, expected) => {
    expect(moved(['a', 'b', 'c'], from, by)).toEqual(expected);
  });
});
