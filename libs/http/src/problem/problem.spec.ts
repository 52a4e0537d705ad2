import { PlatformError } from '@crm/contracts';
import { rateLimited } from '@crm/limits';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countRefusal, redactPath, refusals } from './problem.filter.js';
import { problemHeaders } from './problem.js';

describe('the headers of a problem', () => {
  it('name the exhausted limit and the time to wait', () => {
    const states = [{ name: 'sign-in-account', quota: 10, windowSeconds: 900, remaining: 0, resetSeconds: 90 }];
    expect(problemHeaders(rateLimited(states), false)).toMatchObject({
      'retry-after': '90',
      'ratelimit-policy': '"sign-in-account";q=10;w=900',
      ratelimit: '"sign-in-account";r=0;t=90',
    });
  });

  it('say nothing of limits in errors that are not due to one', () => {
    expect(Object.keys(problemHeaders(new PlatformError('NOT_FOUND'), false))).toEqual([
      'content-type',
      'cache-control',
    ]);
  });
});

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

const state = (name: string) => ({ name, quota: 1, windowSeconds: 60, remaining: 0, resetSeconds: 5 });

describe('the count of refusals', () => {
  it('is by the limit that was exhausted, not by those passed before', async () => {
    countRefusal(rateLimited([state('principal'), state('tenant')]));
    countRefusal(rateLimited([state('principal'), state('tenant')]));
    countRefusal(new PlatformError('RATE_LIMITED'));
    countRefusal(new PlatformError('NOT_FOUND'));
    const { values } = await refusals.get();
    expect(values.map(({ labels, value }) => [labels.limit, value])).toEqual([
      ['tenant', 2],
      ['other', 1],
    ]);
  });
});
