import { describe, expect, it } from '@jest/globals';
import type { FieldType } from '../objects/field-types.js';
import type { FieldModel, ObjectModel } from '../objects/object-model.js';
import { conditionOf, draftOf, filterOfGroup, groupDraftOf, newDraft, operatorsOf, sizeOf } from './condition-draft.js';
import { type Condition, type Filter, filterText, readFilter } from './filter.js';
import { nextSort, shownColumns } from './list-state.js';

const field = (type: FieldType, more: Partial<FieldModel> = {}): FieldModel => ({
  ...{ apiName: 'value', label: 'Value', type, shownAs: type, options: [] },
  ...{ required: false, writable: true, sortable: true, filterOps: ['eq', 'in', 'empty'], ...more },
});

describe('a condition', () => {
  it.each<[FieldModel, Omit<Condition, 'field'>]>([
    [field('text'), { value: 'Ada' }],
    [field('text'), { op: 'contains', value: 'da' }],
    [field('text'), { op: 'empty' }],
    [field('number'), { op: 'gte', value: 1.5 }],
    [field('formula', { shownAs: 'number' }), { value: 0 }],
    [field('date'), { op: 'lt', value: '2026-03-01' }],
    [field('date'), { op: 'lte', value: { relative: 'thisMonth' } }],
    [field('datetime'), { op: 'lt', value: { relative: { days: -14 } } }],
    [field('datetime'), { op: 'gt', value: { relative: { days: 3 } } }],
    [field('datetime'), { value: '2026-03-01T09:30:00.000Z' }],
    [field('checkbox'), { value: false }],
    [field('checkbox'), { op: 'ne', value: true }],
    [field('picklist'), { op: 'in', value: ['won', 'lost'] }],
    [field('multi_select'), { value: ['red'] }],
    [field('reference', { target: 'user' }), { value: { relative: 'me' } }],
    [field('reference', { target: 'companies' }), { op: 'ne', value: '019ca8d1-0c11-7e52-a3b9-4f7d2c6e8b10' }],
  ])('is the same after it was edited: %#', (of, rest) => {
    const condition = { field: 'value', ...rest };
    expect(conditionOf(of, draftOf(of, condition, 'de'), 'de')).toEqual(condition);
  });

  it('is none while its value is missing or no number', () => {
    expect(conditionOf(field('text'), newDraft(field('text')), 'en')).toBeUndefined();
    expect(conditionOf(field('number'), { ...newDraft(field('number')), value: 'many' }, 'en')).toBeUndefined();
    expect(conditionOf(field('number'), { ...newDraft(field('number')), value: '1,5' }, 'de')).toMatchObject({
      value: 1.5,
    });
    expect(conditionOf(field('date'), { ...newDraft(field('date')), kind: 'daysAgo' }, 'en')).toBeUndefined();
    expect(conditionOf(field('date'), newDraft(field('date')), 'en')).toMatchObject({ value: { relative: 'today' } });
  });

  it('has the operators for which the panel has an input', () => {
    expect(operatorsOf(field('text'))).toEqual(['eq', 'empty']);
    expect(operatorsOf(field('picklist', { options: [{ value: 'a', label: 'A' }] }))).toEqual(['eq', 'in', 'empty']);
    expect(operatorsOf(field('reference'))).toEqual(['empty']);
  });
});

describe('a group of conditions', () => {
  const fields = [field('text'), field('number', { apiName: 'hours' })];
  const [a, b] = [
    { field: 'value', value: 'Ada' },
    { field: 'hours', op: 'gt', value: 2 },
  ] as const;
  const other = { field: 'other', op: 'gt', value: 1 };
  const edited = (filter: Filter) => filterOfGroup(fields, groupDraftOf(fields, filter, 'en'), 'en');

  it.each<[string, Filter, Filter | undefined]>([
    ['is the same after it was edited, however deep', { or: [a, { and: [b, { or: [a, b] }] }] }, undefined],
    ['of one condition is all conditions', a, { and: [a] }],
    ['leaves out what has no value', { or: [a, { field: 'value' }] }, { or: [a] }],
    ['in which nothing is left is gone', { and: [a, { or: [{ field: 'value' }] }] }, { and: [a] }],
    ['keeps what it does not offer, however deep', { and: [other, { or: [{ and: [b, other] }, a] }] }, undefined],
  ])('%s', (_, filter, expected) => {
    expect(edited(filter)).toEqual(expected ?? filter);
  });

  it('is as large as its conditions are many, however deep', () => {
    expect(sizeOf(groupDraftOf(fields, { or: [a, other, { and: [b, { or: [a, b] }] }] }, 'en'))).toBe(5);
  });
});

describe('the columns of a list', () => {
  const names = ['name', 'one', 'two', 'notes'];
  const fields = names.map((apiName) => field(apiName === 'notes' ? 'textarea' : 'text', { apiName }));
  const model = { fields, titleFields: ['name'] } as unknown as ObjectModel;

  it.each<[string, string[] | undefined, number, string[]]>([
    ['are those that suit', undefined, 1000, ['one', 'two']],
    ['are as many of these as fit', undefined, 400, ['one']],
    ['are those that were chosen, in their order, whatever the width', ['notes', 'gone', 'one'], 400, ['notes', 'one']],
    ['are those that suit where none is chosen', [], 1000, ['one', 'two']],
  ])('%s', (_, chosen, width, expected) => {
    expect(shownColumns(model, chosen, width).columns.map(({ apiName }) => apiName)).toEqual(expected);
  });
});

it.each<[unknown, boolean]>([
  [{ field: 'a', value: 1 }, true],
  [{ and: [{ field: 'a' }, { or: [{ field: 'b', op: 'empty' }] }] }, true],
  [{ and: [] }, false],
  [{ and: [1] }, false],
  [{ or: 'a' }, false],
  [{ field: 1 }, false],
  ['and', false],
  [null, false],
])('an address has a filter or none: %j', (value, isOne) => {
  expect(readFilter(value)).toEqual(isOne ? (value as Filter) : undefined);
});

it.each([
  ['', 'a', false, 'a'],
  ['a', 'a', false, '-a'],
  ['-a', 'a', false, ''],
  ['a,b', 'c', false, 'c'],
  ['a', 'b', true, 'a,b'],
  ['a,b', 'a', true, '-a,b'],
  ['-a,b', 'a', true, 'b'],
  ['a,b,c', 'd', true, 'a,b,d'],
])('the order %j becomes after a click on %s (with others: %s) %j', (sort, name, isMore, next) => {
  expect(nextSort(sort, name, isMore)).toBe(next);
});

it.each<[Filter, string]>([
  [{ field: 'a' }, 'a'],
  [{ or: [{ field: 'a' }, { field: 'b' }] }, 'a oder b'],
  [{ and: [{ field: 'a' }, { or: [{ field: 'b' }, { field: 'c' }] }] }, 'a und (b oder c)'],
  [{ and: [{ or: [{ field: 'b' }, { field: 'c' }] }] }, 'b oder c'],
])('the filter %j in words is %s', (filter, words) => {
  expect(filterText(filter, { and: 'und', or: 'oder' }, ({ field }) => field)).toBe(words);
});
