import { describe, expect, it } from '@jest/globals';
import { isHandedOver, takePageAddress } from './page-address.js';

/** An address bar, and what the page wrote into it. */
function bar(address: string) {
  const { pathname, search, hash } = new URL(address, 'https://crm.example');
  const written: unknown[] = [];
  const history = { replaceState: (...given: unknown[]) => written.push(given) };
  return { window: { location: { pathname, search, hash }, history } as unknown as Window, written };
}
const take = (address: string) => takePageAddress(bar(address).window);

describe('the address of the page', () => {
  it('gives away its token once, and is written without it at once', () => {
    const { window, written } = bar('/password-reset?lang=de#token=AbC-1_2.~x');
    expect(takePageAddress(window)).toEqual({ path: '/password-reset', token: 'AbC-1_2.~x' });
    expect(written).toEqual([[null, '', '/password-reset?lang=de']]);
  });

  it('is left alone when there is nothing behind #', () => {
    const { window, written } = bar('/account/authorize?request=0199aa00-1');
    expect(takePageAddress(window)).toEqual({ path: '/account/authorize' });
    expect(written).toEqual([]);
  });

  it('loses whatever is behind #, also what is no token', () => {
    const { window, written } = bar('/verify-email#nonsense');
    expect(isHandedOver(takePageAddress(window))).toBe(false);
    expect(written).toEqual([[null, '', '/verify-email']]);
  });

  it('takes a token from behind # alone: a query is sent to servers', () => {
    expect(take('/password-reset?token=abc').token).toBeUndefined();
  });

  it.each(['#token=', '#token=a%20b', '#token=%2e%2e%2fme', `#token=${'a'.repeat(501)}`, '#code=<b>'])(
    'hands over nothing that no link carries: %s',
    (hash) => {
      expect(isHandedOver(take(`/password-reset${hash}`))).toBe(false);
    },
  );

  it('is the same with a slash at its end', () => {
    expect([take('/account/').path, take('/').path]).toEqual(['/account', '/']);
  });
});
