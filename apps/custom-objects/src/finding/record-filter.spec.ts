import type { FieldDefinition } from '@crm/fields';
import { describe, expect, it } from '@jest/globals';
import { chosenOptions } from './record-filter.js';

const field = (...options: string[]): FieldDefinition => ({ apiName: 'tags', type: 'multi_select', options });

describe('the options that a filter by several of them names', () => {
  it.each([
    ['an option', 'a', ['a']],
    ['options separated by commas', 'a,b', ['a', 'b']],
    ['a JSON array of options', '["a","b"]', ['a', 'b']],
    ['a text that only begins like an array', '[a', ['[a']],
  ])('are found in %s', (_what, text, chosen) => expect(chosenOptions(field('a', 'b'), text)).toEqual(chosen));

  it.each([
    ['a text that is an option as a whole, although it contains a comma', 'a, b', ['a, b']],
    ['a text that is an option as a whole, although it begins like an array', '["x"]', ['["x"]']],
    ['a JSON array, whose options may contain commas', '["a, b","c"]', ['a, b', 'c']],
  ])('are found in %s', (_what, text, chosen) =>
    expect(chosenOptions(field('a, b', 'c', '["x"]', 'a'), text)).toEqual(chosen),
  );

  it('are not found by splitting a text when an option contains a comma', () => {
    expect(chosenOptions(field('a, b', 'a', 'c'), 'a,c')).toEqual(['a,c']);
  });
});
