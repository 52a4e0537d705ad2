import { describe, expect, it } from '@jest/globals';
import { tenantApiName } from './tenant-api-name.js';

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
