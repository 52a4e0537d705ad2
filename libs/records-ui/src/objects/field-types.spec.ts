import type { CrmRecord, FieldValue } from '@crm/api-client';
import { FIELD_TYPE_NAMES, fieldTypes } from '@crm/fields';
import { describe, expect, it } from '@jest/globals';
import { changesOf, draftOf } from '../record/draft.js';
import { FIELD_TYPES, viewOf } from './field-types.js';
import type { ObjectModel } from './object-model.js';

const LOCALE = { tag: 'en', language: 'en', timeZone: 'UTC' } as const;

it('every type of the platform has its view', () => {
  expect(new Set(Object.keys(FIELD_TYPES))).toEqual(new Set(FIELD_TYPE_NAMES));
});

describe.each(FIELD_TYPE_NAMES)('a field of the type %s', (type) => {
  const { examples, parse } = fieldTypes.get(type)!;
  const flags = { required: false, writable: true, sortable: true, filterOps: [] };
  const field = { apiName: 'value', label: 'Value', type, shownAs: type, ...flags, options: [] };
  const target = type === 'reference' ? ('companies' as const) : undefined;
  const model: ObjectModel = {
    ...{ apiName: 'visit', name: 'custom:visit', label: 'Visit', pluralLabel: 'Visits', titleFields: [] },
    ...{ creatable: true, updatable: true, deletable: true, pipelines: [] },
    fields: [{ ...field, target }],
  };
  const head = { id: '1', version: 1, createdAt: '', updatedAt: '' };

  it('keeps a value from the API through its input', () => {
    for (const value of examples as readonly FieldValue[]) {
      const typed = changesOf(model, {}, draftOf(model, { ...head, value } as CrmRecord, 'en'), 'en').value;
      const options = Array.isArray(value) ? value : [String(value)];
      expect(parse(typed, { options }, {})).toEqual({ ok: true, value });
    }
  });

  it('is shown with a value in it', () => {
    const { format = String } = viewOf(type);
    for (const value of examples as readonly (string | number)[]) {
      expect(format(value, LOCALE)).not.toMatch(/^\s*$|NaN|Invalid|undefined/);
    }
  });
});
