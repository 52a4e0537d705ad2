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

  it('are as many as a record has', () => {
    const slots = slotsOf(
      Array.from({ length: 10 }, (_, index) => ({ apiName: `f${index}`, type: 'text', indexed: index > 7 })),
    );
    expect(slots).toMatchObject({ f8: 's1', f9: 's2', f0: null });
    const all = slotsOf(Array.from({ length: 10 }, (_, index) => ({ apiName: `f${index}`, type: 'text' })));
    expect(Object.values(all).filter((slot) => slot !== null)).toHaveLength(8);
  });
});

const taken =
  (...names: string[]) =>
  (name: string) =>
    names.includes(name);

describe('the API name of an object in a tenant', () => {
  it('is the declared name when it is free', () => {
    expect(tenantApiName('site_visit', 'acme-visits', false, taken())).toBe('site_visit');
  });

  it('starts with sbx_ in a sandbox', () => {
    expect(tenantApiName('site_visit', 'acme-visits', true, taken('site_visit'))).toBe('sbx_site_visit');
  });

  it('is qualified by the app when another installation has the name', () => {
    expect(tenantApiName('site_visit', 'acme-visits', false, taken('site_visit'))).toBe('acme_visits_site_visit');
    expect(tenantApiName('site_visit', 'acme-visits', true, taken('sbx_site_visit'))).toBe(
      'sbx_acme_visits_site_visit',
    );
  });

  it('is numbered when even that is taken', () => {
    const isTaken = taken('visit', 'acme_visit', 'acme_visit_2');
    expect(tenantApiName('visit', 'acme', false, isTaken)).toBe('acme_visit_3');
  });
});
