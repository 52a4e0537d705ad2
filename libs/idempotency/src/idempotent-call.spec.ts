import { describe, expect, it } from '@jest/globals';
import { headerCall, stepCall } from './idempotent-call.js';

const principal = { tenantId: 't', userId: 'u' };

describe('the call of a request', () => {
  it('is none without a key', () => {
    expect(headerCall(principal, 'POST /things', undefined, {})).toBeUndefined();
  });

  it("is the principal's own; a user inside an app is another one", () => {
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

it("the call of a workflow's step is remembered for longer than a run is tried", () => {
  expect(stepCall(principal, 'rpc.things.create', 'k', {})).toEqual({
    tenantId: 't',
    principalId: 'u',
    route: 'rpc.things.create',
    key: 'k',
    body: {},
    keptHours: 168,
  });
});
