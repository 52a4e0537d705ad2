import { describe, expect, it } from '@jest/globals';
import { keepReturn, takeReturn } from './return-path.js';

function tabAt(address: string) {
  const kept = new Map<string, string>();
  const { pathname, search, hash } = new URL(address, 'https://crm.example');
  const sessionStorage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  };
  return { kept, tab: { location: { pathname, search, hash }, sessionStorage } as unknown as Window };
}

describe('the way back from an identity provider', () => {
  it.each([
    ['/account/authorize?request=request_1-2', '/account/authorize?request=request_1-2'],
    ['/account/sign-in?next=%2Frecords%2Flead%3Fsort%3Dname', '/records/lead?sort=name'],
  ])('leads from %s to %s, once', (address, next) => {
    const { kept, tab } = tabAt(address);
    keepReturn(tab);
    expect(takeReturn(tab)).toBe(next);
    expect([takeReturn(tab), kept.size]).toEqual([undefined, 0]);
  });

  it.each([
    '/account',
    '/verify-email#token=secret',
    '/account/authorize?request=a&token=b',
    '/account/sign-in?next=https%3A%2F%2Fevil.example',
    '/account/sign-in?next=%2F%2Fevil.example',
  ])('keeps nothing of %s', (address) => {
    const { kept, tab } = tabAt(address);
    keepReturn(tab);
    expect(kept.size).toBe(0);
  });

  it.each(['https://evil.example', '//evil.example?request=1', '/\\evil.example'])(
    'does not lead to %s, no matter who has written it there',
    (address) => {
      const { kept, tab } = tabAt('/account/signed-in');
      kept.set('crm-account-return', address);
      expect(takeReturn(tab)).toBeUndefined();
    },
  );
});
