import { expect, it } from '@jest/globals';
import { suggestion } from './problem.js';

it('names the nearest of the first 500 names', () => {
  const many = Array.from({ length: 600 }, (_, i) => `name_${String(i).padStart(4, '0')}_x`);
  expect(suggestion('titel', ['title', 'total'])).toBe(' Did you mean "title"?');
  expect(suggestion('zzzzz', ['title'])).toBe('');
  expect(suggestion('name_0001_X', many)).toBe(' Did you mean "name_0001_x"?');
  expect(suggestion('subject', [...many, 'subjects'])).toBe('');
});
