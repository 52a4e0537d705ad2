import type { FieldDefinition } from '@crm/fields';
import { describe, expect, it } from '@jest/globals';
import { STANDARD_OBJECTS } from '../object/object-definition.js';
import { ObjectModel } from '../object/object-model.js';
import { chosenOptions, rowConditions } from './record-filter.js';

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

it('a filter by a time names it in UTC as text: the driver would write a Date in the zone of the process', () => {
  const [model, task] = [STANDARD_OBJECTS.opportunity, STANDARD_OBJECTS.task].map((object) => new ObjectModel(object));
  const parametersOf = (of: ObjectModel | undefined, filterField: string, filterValue: string) => {
    const clock = { now: new Date(), timeZone: 'UTC' };
    return rowConditions(of!, of!.planFor(['admin']), { filterField, filterValue: [filterValue] }, 3, clock)[0]
      ?.parameters;
  };
  expect(parametersOf(model, 'closeDate', '1880-06-01')).toEqual(['1880-06-01T00:00:00.000Z']);
  expect(parametersOf(task, 'dueAt', '1880-06-01T10:00:00+01:00')).toEqual(['1880-06-01T09:00:00.000Z']);
});
