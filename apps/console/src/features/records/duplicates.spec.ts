import type { ObjectModel } from '@crm/records-ui';
import { describe, expect, it } from '@jest/globals';
import { type Hit, isSameName, questionsOf } from './duplicates.js';

const model = (apiName: string, ...titleFields: string[]) => ({ apiName, titleFields }) as unknown as ObjectModel;
const lead = model('lead', 'firstName', 'lastName');
const hit = (value: string, title = ''): Hit => ({
  object: 'contact',
  id: '1',
  title,
  matched: { field: 'email', value },
});

describe('what is asked before a record is created', () => {
  it.each([
    [
      lead,
      { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com', phone: '030 901820' },
      ['ada@example.com', '030 901820', 'Ada Lovelace'],
    ],
    [lead, { lastName: 'Li', phone: '12 34' }, []],
    [model('company', 'name'), { name: 'Engines', phone: '+49 30 901820' }, ['+49 30 901820', 'Engines']],
    [model('task', 'title'), { title: 'Call Ada' }, []],
    [model('site_visit', 'title'), { title: 'Town hall' }, []],
  ])('of %# is mail, phone and name, as far as the index finds them', (object, fields, asked) => {
    expect(questionsOf(object, fields).map(({ q }) => q)).toEqual(asked);
  });

  it('takes a mail address as a whole, and another name for no duplicate', () => {
    const [mail, name] = questionsOf(lead, { lastName: 'Lovelace', email: 'ada@example.com' });
    expect([mail?.isLikely(hit('Ada@example.com')), mail?.isLikely(hit('canada@example.com'))]).toEqual([true, false]);
    expect([name?.isLikely(hit('', 'Ada Lovelace')), name?.isLikely(hit('', 'Ada Lovelacer'))]).toEqual([true, false]);
  });
});

it.each([
  ['Ada Lovelace', 'ada  lovelace', true],
  ['Lovelace', 'Ada Lovelace', true],
  ['Analytical Engines Ltd', 'Analytical Engines', true],
  ['Ann Lovelace', 'Ada Lovelace', false],
  ['Love', 'Lovelace', false],
  ['', 'Lovelace', false],
])('%s and %s may be the same name: %s', (one, other, expected) => {
  expect([isSameName(one, other), isSameName(other, one)]).toEqual([expected, expected]);
});
