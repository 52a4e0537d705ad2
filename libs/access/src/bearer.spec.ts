import { expect, it } from '@jest/globals';
import { bearerToken } from './access.guard.js';

it.each([
  ['Bearer abc.def-_~+/==', 'abc.def-_~+/=='],
  ['bearer abc', 'abc'],
  ['BEARER   abc  ', 'abc'],
  ['Basic abc', undefined],
  ['Bearer', undefined],
  ['Bearer ', undefined],
  ['Bearer a b', undefined],
  ['Bearerabc', undefined],
  [undefined, undefined],
])('bearerToken reads %p as %p', (header, token) => expect(bearerToken(header)).toBe(token));
