import { describe, expect, it } from '@jest/globals';
import { readIdempotencyKey } from './idempotency-key.js';

describe('Idempotency-Key', () => {
  it.each([undefined, 'a', '8e03978e-40d5-43dd-bc93-6894a57f9324', '"quoted"', 'x'.repeat(255)])(
    'accepts the key %j',
    (key) => {
      expect(readIdempotencyKey(key)).toBe(key);
    },
  );

  it.each(['', ' ', 'a b', 'a, b', 'ä', 'a\t', 'x'.repeat(256)])('rejects the key %j', (key) => {
    expect(() => readIdempotencyKey(key)).toThrow(expect.objectContaining({ code: 'MALFORMED_REQUEST' }));
  });
});
