import type { CrmRecord } from '@crm/api-client';
import { describe, expect, it } from '@jest/globals';
import type { FieldType } from '../objects/field-types.js';
import type { FieldModel, ObjectModel } from '../objects/object-model.js';
import { changesOf, draftOf, isUntouched, problemsOf, writableFields } from './draft.js';

const field = (apiName: string, type: FieldType, more: Partial<FieldModel> = {}): FieldModel => {
  const plain = { required: false, writable: true, sortable: true, filterOps: [], options: [] };
  return { apiName, label: apiName, type, shownAs: type, ...plain, ...more };
};

const MODEL: ObjectModel = {
  apiName: 'visit',
  name: 'custom:visit',
  label: 'Visit',
  pluralLabel: 'Visits',
  titleFields: ['title'],
  creatable: true,
  updatable: true,
  deletable: true,
  pipelines: [],
  fields: [
    field('title', 'text', { required: true }),
    field('hours', 'number'),
    field('at', 'datetime'),
    field('done', 'checkbox'),
    field('tags', 'multi_select'),
    field('rate', 'currency', { writable: false }),
    field('total', 'formula'),
    field('owner', 'reference'),
    field('company', 'reference', { target: 'companies' }),
  ],
};
const VALUES = {
  title: 'Roof',
  hours: 3,
  at: '2027-01-15T09:30:00.000Z',
  done: false,
  tags: ['a'],
  rate: 80,
  company: null,
};
const RECORD = { id: '1', version: 1, createdAt: '', updatedAt: '', ...VALUES } as CrmRecord;

describe('the draft of a form', () => {
  it('has inputs for what can be written and chosen', () => {
    const names = writableFields(MODEL).map(({ apiName }) => apiName);
    expect(names).toEqual(['title', 'hours', 'at', 'done', 'tags', 'company']);
  });

  it('of a record that nobody touched changes nothing', () => {
    const before = draftOf(MODEL, RECORD, 'en');
    expect(changesOf(MODEL, before, { ...before }, 'en')).toEqual({});
  });

  it('changes what was touched, in the types of the API', () => {
    const before = draftOf(MODEL, RECORD, 'en');
    const after = { ...before, title: '', hours: '4.5', done: true, tags: [], company: '7', at: before.at as string };
    expect(changesOf(MODEL, before, after, 'en')).toEqual({
      title: null,
      hours: 4.5,
      done: true,
      tags: null,
      company: '7',
    });
  });

  it('keeps a moment through the time zone of the user', () => {
    const empty = draftOf(MODEL, undefined, 'en');
    const { at } = draftOf(MODEL, RECORD, 'en');
    expect(changesOf(MODEL, empty, { ...empty, at: at as string }, 'en')).toEqual({ at: RECORD.at });
  });

  it('of a moment with seconds, which an input of minutes does not show, is untouched', () => {
    const [at, moment] = [MODEL.fields[2]!, '2027-01-15T09:30:42.000Z'];
    const { at: typed = '' } = draftOf(MODEL, { ...RECORD, at: moment } as CrmRecord, 'en');
    expect([isUntouched(at, moment, typed, 'en'), isUntouched(at, moment, '2027-01-15T09:31', 'en')]).toEqual([
      true,
      false,
    ]);
  });

  it('has numbers as they are typed in the language of the page', () => {
    const before = draftOf(MODEL, { ...RECORD, hours: 1234.5 } as CrmRecord, 'de');
    expect(before.hours).toBe('1234,5');
    expect(changesOf(MODEL, before, { ...before, hours: '1.234' }, 'de')).toEqual({ hours: 1234 });
    expect(problemsOf(MODEL, { ...before, hours: '1234.5' }, 'de')).toEqual({ hours: 'notANumber' });
  });

  it('finds what is missing or not a number before it is sent', () => {
    const draft = { ...draftOf(MODEL, RECORD, 'en'), title: ' ', hours: 'three' };
    expect(problemsOf(MODEL, draft, 'en')).toEqual({ title: 'missing', hours: 'notANumber' });
    expect(problemsOf(MODEL, draftOf(MODEL, RECORD, 'en'), 'en')).toEqual({});
  });
});
