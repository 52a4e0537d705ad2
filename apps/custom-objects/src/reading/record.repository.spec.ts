import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { timeOf } from './record.repository.js';

it('a time is written as Date writes it, in any year that PostgreSQL and the API have', () => {
  const [first, last] = [Date.UTC(1, 0, 1), Date.UTC(9999, 11, 31)];
  fc.assert(
    fc.property(fc.integer({ min: first, max: last }), (time) => {
      expect(timeOf(time)).toBe(new Date(time).toISOString());
    }),
  );
});
