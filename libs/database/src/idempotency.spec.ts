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

describe('a call that can be repeated', () => {
  const principal = { tenantId: 't', userId: 'u' };
  const kept = { tenantId: 't', principalId: 'u', key: 'k', body: { a: 1 } };
  const ofHeader = headerCall(principal, 'POST /things', 'k', { a: 1 });

  it('is none when the request has no key', () => {
    expect(headerCall(principal, 'POST /things', undefined, {})).toBeUndefined();
  });

  it('is remembered for a day, and that of a workflow step for longer than a run is retried', () => {
    expect(ofHeader).toEqual({ ...kept, route: 'POST /things', keptHours: 24 });
    const ofStep = stepCall(principal, 'rpc.things.create', 'k', { a: 1 });
    expect(ofStep).toEqual({ ...kept, route: 'rpc.things.create', keptHours: 168 });
  });

  it('belongs to the principal, and an embedded user is another principal than the same user signed in', () => {
    const embedded = headerCall({ ...principal, appKey: 'acme' }, 'POST /things', 'k', { a: 1 });
    expect(embedded?.principalId).not.toBe(ofHeader?.principalId);
  });
});
