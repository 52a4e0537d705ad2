import { describe, expect, it } from '@jest/globals';
import { keepReturn, takeReturn } from './return-place.js';

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
  it('leads to the request of an app, once', () => {
    const { kept, tab } = tabAt('/account/authorize?request=request_1-2');
    keepReturn(tab);
    expect(kept.size).toBe(1);
    expect(takeReturn(tab)).toBe('request_1-2');
    expect([takeReturn(tab), kept.size]).toEqual([undefined, 0]);
  });

  it.each(['/account', '/verify-email#token=secret', '/account/authorize', '/account/authorize?request=a&token=b'])(
    'keeps nothing of %s',
    (address) => {
      const { kept, tab } = tabAt(address);
      keepReturn(tab);
      expect(kept.size).toBe(0);
    },
  );

  it.each(['https://evil.example', '/account/authorize?request=../../me', '//evil.example?request=1'])(
    'does not lead to %s, whoever has written it there',
    (address) => {
      const { kept, tab } = tabAt('/account/signed-in');
      kept.set('crm-account-return', address);
      expect(takeReturn(tab)).toBeUndefined();
    },
  );
});
