import { describe, expect, it } from '@jest/globals';
import { isNewEnough } from './redis-binary.mjs';

describe('a Redis or Valkey server', () => {
  it.each([
    ['Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=ae4d7c971a948f0', true],
    ['Valkey server v=8.1.1 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=1', true],
    ['Redis server v=6.2.14 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=1', false],
    ['redis-cli 7.0.15', false],
  ])('%s suits: %p', (printed, suits) => {
    expect(isNewEnough(printed)).toBe(suits);
  });
});
