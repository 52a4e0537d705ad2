import { describe, expect, it } from '@jest/globals';
import { cronProblem } from './cron.js';

describe('cronProblem', () => {
  it.each([
    ...['* * * * *', '0 0 1 1 0', '59 23 31 12 7', '*/15 * * * *', '0-30/10 8,12-18 * JAN-jun mon-FRI'],
    ...['  5 4 * * sun ', '*/59 */23 */31 */12 */7', '0 0 31 2-12/2 *', '0 0 31 2/3 *', '0 0 30 2 mon'],
    ...['0 0 31,1 feb *', '0 0 29-31 2 *'],
  ])('accepts %j', (text) => expect(cronProblem(text)).toBeUndefined());

  it.each([
    ['', 'five fields'],
    ['* * * *', 'five fields'],
    ['* * * * * *', 'five fields'],
    ['@daily', 'five fields'],
    ['60 * * * *', 'minute'],
    ['-1 * * * *', 'minute'],
    ['*/0 * * * *', 'minute'],
    ['*-5 * * * *', 'minute'],
    ['5-1 * * * *', 'minute'],
    ['1,, * * * *', 'minute'],
    ['* 24 * * *', 'hour'],
    ['* * 0 * *', 'day of the month'],
    ['* * * 13 *', 'month'],
    ['* * * foo *', 'month'],
    ['* * * * 8', 'day of the week'],
    ['{{a}} * * * *', 'minute'],
    ['*/75 * * * *', 'minute'],
    ['*/60 * * * *', 'minute'],
    ['* */24 * * *', 'hour'],
    ['* * 30 2 *', 'The month 2 never has the day 30'],
    ['* * 31 feb,4,jun-jun */2', 'The month feb,4,jun-jun never has the day 31'],
    ['* * 30-31 2/12 *', 'The month 2/12 never has the day 30-31'],
  ])('rejects %j because of: %s', (text, part) => expect(cronProblem(text)).toContain(part));
});
