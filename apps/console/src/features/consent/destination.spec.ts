import { describe, expect, it } from '@jest/globals';
import { destination } from './destination.js';

describe('where the answer to a request goes', () => {
  it.each(['https://app.example/callback?code=c', 'http://127.0.0.1:4711/?code=c', 'com.example.app:/callback?code=c'])(
    'can be %s',
    (address) => {
      expect(destination(address)).toBe(address);
    },
  );

  it.each([
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    'blob:https://crm.example/1',
    'file:///etc/passwd',
    'about:blank',
    'view-source:https://app.example',
    '/callback',
  ])('cannot be %s', (address) => {
    expect(() => destination(address)).toThrow();
  });
});
