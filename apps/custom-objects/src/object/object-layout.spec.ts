import type { FieldDefinition } from '@crm/fields';
import { describe, expect, it } from '@jest/globals';
import { assignSlots, tenantApiName } from './object-layout.js';

const slotsOf = (fields: readonly FieldDefinition[]) => Object.fromEntries(assignSlots(fields));

describe('typed columns', () => {
  it('go to all filterable fields of an object that names none', () => {
    const slots = slotsOf([
      { apiName: 'notes', type: 'textarea' },
      { apiName: 'title', type: 'text' },
      { apiName: 'owner', type: 'reference', referenceTarget: 'contact' },
      { apiName: 'code', type: 'text', is_unique: true },
      { apiName: 'hours', type: 'number' },
      { apiName: 'day', type: 'date' },
      { apiName: 'tags', type: 'multi_select', options: ['a'] },
      { apiName: 'doubled', type: 'formula', expression: 'hours * 2' },
    ]);
    expect(slots).toEqual({
      owner: 's1',
      code: 's2',
      title: 's3',
      notes: 's4',
      hours: 'n1',
      day: 't1',
      tags: null,
      doubled: null,
    });
  });

  it('go to indexed fields, unique fields and references only, when the object names indexed fields', () => {
    const slots = slotsOf([
      { apiName: 'title', type: 'text' },
      { apiName: 'code', type: 'text', is_unique: true },
      { apiName: 'stage', type: 'text', indexed: true },
      { apiName: 'hours', type: 'number' },
    ]);
    expect(slots).toEqual({ stage: 's1', code: 's2', title: null, hours: null });
  });

  it('are as many as a record has, and eight of texts when the object names none', () => {
    const slots = slotsOf(
      Array.from({ length: 30 }, (_, index) => ({ apiName: `f${index}`, type: 'text', indexed: index > 5 })),
    );
    expect(slots).toMatchObject({ f6: 's1', f29: 's24', f0: null });
    const all = slotsOf(Array.from({ length: 10 }, (_, index) => ({ apiName: `f${index}`, type: 'text' })));
    expect(Object.values(all).filter((slot) => slot !== null)).toHaveLength(8);
  });
});

describe('the API name of an object in a tenant', () => {
  it.each<[string, string, boolean, string[], string]>([
    ['the declared one when it is free', 'site_visit', false, [], 'site_visit'],
    ['one that starts with sbx_ in a sandbox', 'site_visit', true, ['site_visit'], 'sbx_site_visit'],
    ['qualified by the app when it is taken', 'visit', false, ['visit'], 'acme_visits_visit'],
    ['qualified by the app in a sandbox too', 'visit', true, ['sbx_visit'], 'sbx_acme_visits_visit'],
    ['numbered when even that is taken', 'a', false, ['a', 'acme_visits_a', 'acme_visits_a_2'], 'acme_visits_a_3'],
  ])('is %s', (_what, declared, isSandbox, taken, expected) => {
    expect(tenantApiName(declared, 'acme-visits', isSandbox, (name) => taken.includes(name))).toBe(expected);
  });
});
