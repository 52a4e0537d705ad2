import { describe, expect, it } from '@jest/globals';
import { isUuid } from './identifiers.js';

describe('isUuid', () => {
  it.each(['00000000-0000-0000-0000-000000000000', '0198c0de-7d3a-7000-8000-0123456789AB'])('accepts %s', (text) => {
    expect(isUuid(text)).toBe(true);
  });

  it.each([
    ...['', '0198c0de7d3a700080000123456789ab', '{0198c0de-7d3a-7000-8000-0123456789ab}'],
    ...['0198c0de-7d3a-7000-8000-0123456789ab\n', '0198c0de-7d3a-7000-8000-0123456789ag', null, 7],
    ['0198c0de-7d3a-7000-8000-0123456789ab'],
  ])('refuses %j', (value) => expect(isUuid(value)).toBe(false));
});
