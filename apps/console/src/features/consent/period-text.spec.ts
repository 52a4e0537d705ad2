import { describe, expect, it } from '@jest/globals';
import { periodText } from './period-text.js';

const HOUR = 3_600;
const DAY = 24 * HOUR;

describe('the words of a period', () => {
  it.each([
    [90 * DAY, 'en', '90 days'],
    [90 * DAY, 'de', '90 Tage'],
    [14 * DAY + 5 * HOUR, 'en', '14 days'],
    [47 * HOUR, 'en', '47 hours'],
    [90 * 60, 'en', '90 minutes'],
    [90 * 60, 'de', '90 Minuten'],
    [60, 'en', '1 minute'],
    [1, 'de', '1 Minute'],
  ])('are for %s seconds in %s: %s', (seconds, tag, words) => {
    expect(periodText(seconds, tag)).toBe(words);
  });
});
