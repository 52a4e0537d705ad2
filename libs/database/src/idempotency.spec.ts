import { describe, expect, it } from '@jest/globals';
import { headerCall, readIdempotencyKey, stepCall } from './idempotency.js';

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

const principal = { tenantId: 't', userId: 'u' };

describe('headerCall', () => {
  it('returns undefined when the request has no key', () => {
    expect(headerCall(principal, 'POST /things', undefined, {})).toBeUndefined();
  });

  it('belongs to the principal, and an embedded user is another principal than the same user signed in', () => {
    const call = headerCall(principal, 'POST /things', 'k', { a: 1 });
    expect(call).toEqual({
      tenantId: 't',
      principalId: 'u',
      route: 'POST /things',
      key: 'k',
      body: { a: 1 },
      keptHours: 24,
    });
    const embedded = headerCall({ ...principal, appKey: 'acme' }, 'POST /things', 'k', { a: 1 });
    expect(embedded?.principalId).not.toBe(call?.principalId);
  });
});

it('remembers the call of a workflow step for longer than a run is retried', () => {
  expect(stepCall(principal, 'rpc.things.create', 'k', {})).toEqual({
    tenantId: 't',
    principalId: 'u',
    route: 'rpc.things.create',
    key: 'k',
    body: {},
    keptHours: 168,
  });
});
