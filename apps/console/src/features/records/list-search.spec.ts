import type { SavedViewView } from '@crm/api-client';
import { expect, it } from '@jest/globals';
import { knownColumns, type ListSearch, searchOf, stateOf } from './list-search.js';

const filter = { field: 'status', value: 'open' };
const other = { field: 'status', value: 'won' };
const view = { id: 'v', filter, sort: '-amount', columns: ['amount'] } as unknown as SavedViewView;

it.each<[string, SavedViewView | undefined, ListSearch, object]>([
  ['nothing', undefined, {}, {}],
  ['a filter', undefined, { filter, sort: 'name' }, { filter, sort: 'name' }],
  ['a view', view, { view: 'v' }, { filter, sort: '-amount', columns: ['amount'] }],
  ['a view with another filter', view, { view: 'v', filter: other }, { filter: other, sort: '-amount' }],
  ['a view without its filter', view, { view: 'v', filter: null }, { filter: undefined, sort: '-amount' }],
  ['a view without its order', view, { view: 'v', sort: '', q: 'a' }, { q: 'a', filter, sort: '' }],
  ['columns', undefined, { columns: 'stage,amount' }, { columns: ['stage', 'amount'] }],
  ['a view with other columns', view, { view: 'v', columns: 'stage' }, { filter, columns: ['stage'] }],
  ['a view with the columns that suit', view, { view: 'v', columns: '' }, { filter, columns: [] }],
])('the address of a list says %s, and no more', (_, of, search, state) => {
  expect(stateOf(search, of)).toMatchObject(state);
  expect(searchOf(stateOf(search, of), of)).toEqual(search);
});

it.each([
  [undefined, undefined],
  ['', ''],
  ['stage,amount', 'stage,amount'],
  ['amount,gone,amount,stage', 'amount,stage'],
  ['gone', undefined],
  [',', undefined],
])('of the columns %j an address has %j', (columns, known) => {
  const fields = [{ apiName: 'stage' }, { apiName: 'amount' }];
  expect(knownColumns(fields, columns)).toBe(known);
});
