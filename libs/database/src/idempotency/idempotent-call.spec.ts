import { describe, expect, it } from '@jest/globals';
import { headerCall, stepCall } from './idempotent-call.js';

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
