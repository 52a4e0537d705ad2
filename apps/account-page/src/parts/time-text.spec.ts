import { describe, expect, it } from '@jest/globals';
import { timeText } from './time-text.js';

describe('a time', () => {
  it.each([
    ['en-GB', 'Europe/London', /^23 Nov 2026, 06:05$/],
    ['de-AT', 'Europe/Vienna', /^23\.11\.2026, 07:05$/],
    ['en-US', 'America/Los_Angeles', /^Nov 22, 2026, 10:05\sPM$/],
  ])('is that of the language and the place of whoever reads it: %s', (tag, timeZone, expected) => {
    expect(timeText('2026-11-23T06:05:43.123Z', { tag, timeZone })).toMatch(expected);
  });
});
