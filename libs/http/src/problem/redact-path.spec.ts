import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { redactPath } from './problem.filter.js';

const SECRET = 'Zm9vYmFyc2VjcmV0MTIz';

describe('redactPath', () => {
  it('keeps other paths unchanged and removes the query', () => {
    expect(redactPath('/api/crm/leads?filterValue=Ada')).toBe('/api/crm/leads');
    expect(redactPath('/api/crm/automations/hooks')).toBe('/api/crm/automations/hooks');
    expect(redactPath('/api/crm/automations/hooks/w-1')).toBe('/api/crm/automations/hooks/w-1');
    expect(redactPath('')).toBe('');
  });

  it.each([
    `/api/crm/automations/hooks/w-1/${SECRET}`,
    `/api/crm/automations/hooks/w-1/${SECRET}/`,
    `/api/crm/automations/hooks/w-1/${SECRET}/more?x=${SECRET}`,
    `/API/crm/Automations/hooks/w-1/${SECRET}`,
    `//api/crm//automations/hooks//w-1/${SECRET}`,
    `/api/crm/./automations/hooks/w-1/${SECRET}`,
    `/api/crm/leads/../automations/hooks/w-1/${SECRET}`,
    `/api/crm/automations%2Fhooks/w-1/${SECRET}`,
    `/api/crm/automations%252fhooks/w-1/${SECRET}`,
    `/api/crm/%61utomations/hooks/w-1%2f${SECRET}`,
    `\\api\\crm\\automations\\hooks\\w-1\\${SECRET}`,
    `/api/crm/automations/hooks//${SECRET}`,
    `http://127.0.0.1:8080/api/crm/automations/hooks/w-1/${SECRET}`,
  ])('hides the secret in %s', (url) => {
    expect(redactPath(url)).not.toContain(SECRET);
    expect(redactPath(url)).toContain('[redacted]');
  });

  it('hides it in every percent-encoded spelling of the prefix', () => {
    const spelling = fc.array(fc.boolean(), { minLength: 27, maxLength: 27 });
    fc.assert(
      fc.property(spelling, (escaped) => {
        const prefix = [...'/api/crm/automations/hooks/'].map((letter, index) =>
          escaped[index] ? `%${letter.charCodeAt(0).toString(16)}` : letter,
        );
        expect(redactPath(`${prefix.join('')}w-1/${SECRET}`)).not.toContain(SECRET);
      }),
    );
  });
});
