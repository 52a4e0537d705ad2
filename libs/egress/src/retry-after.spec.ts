import { expect, it } from '@jest/globals';
import { readRetryAfter } from './retry-after.js';

const now = Date.parse('2026-11-21T10:00:00Z');

it.each([
  ['120', 120_000],
  ['Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
  ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
  ['999999999', 86_400_000],
  ['Fri, 31 Dec 2027 09:00:00 GMT', 86_400_000],
  [['5', '60'], 5_000],
  ['soon', null],
  [undefined, null],
])('reads Retry-After %s as %s ms', (header, expected) => {
  expect(readRetryAfter(header, now)).toBe(expected);
});
