import { describe, expect, it } from '@jest/globals';
import { ownPath, signInPath } from './way-back.js';

describe('the way back after a sign-in', () => {
  it.each(['/', '/records/lead?q=Ada', '/settings/workspace'])('%s is a place of this address', (path) => {
    expect(ownPath(path)).toBe(path);
  });

  it.each([
    'https://elsewhere.example/',
    '//elsewhere.example/',
    '/\\elsewhere.example/',
    '/%5c/../\\elsewhere.example',
    '/\t/elsewhere.example',
    '/./' + '/elsewhere.example',
    'javascript:alert(1)',
    'records/lead',
    '/account/sign-in',
    '/Account//sign-in/?next=%2F',
    '/account/%73ign-in',
    '/account/signed-in',
    '',
    undefined,
  ])('%j leads elsewhere, or back to the sign-in', (text) => {
    expect(ownPath(text)).toBeUndefined();
  });

  it.each(['/account/sign-in-history', '/records/%zz'])('%s is not the sign-in', (path) => {
    expect(ownPath(path)).toBe(path);
  });

  it('is named by the address of the sign-in, but for the start', () => {
    expect(signInPath({ pathname: '/records/lead', search: '?q=Ada' })).toBe(
      '/account/sign-in?next=%2Frecords%2Flead%3Fq%3DAda',
    );
    expect(signInPath({ pathname: '/', search: '' })).toBe('/account/sign-in');
  });
});
