import { describe, expect, it } from '@jest/globals';
import { chooseScopes, requiredOf } from './token-request.js';

const OFFERED = ['tasks', 'leads:read', 'contacts'];

const refusal = (code: string, ...pointers: string[]) => {
  const errors = pointers.map((pointer) => expect.objectContaining({ pointer }));
  return expect.objectContaining({ code, extra: expect.objectContaining({ errors }) });
};

describe('what a user gives of the scopes that an app asks for', () => {
  it('is what they choose, each scope once, in the order in which it is offered', () => {
    expect(chooseScopes(OFFERED, [], ['contacts', 'tasks', 'contacts'])).toEqual(['tasks', 'contacts']);
    expect(chooseScopes(OFFERED, ['tasks'], OFFERED)).toEqual(OFFERED);
  });

  it('is never more than what is offered, also when it is close to it', () => {
    const choose = () => chooseScopes(OFFERED, [], ['tasks', 'leads', 'contacts:read']);
    expect(choose).toThrow(refusal('SCOPE_NOT_OFFERED', '/scopes/1', '/scopes/2'));
  });

  it('has everything that the app requires of it', () => {
    const choose = () => chooseScopes(OFFERED, ['tasks', 'leads:read'], ['contacts']);
    expect(choose).toThrow(refusal('SCOPE_REQUIRED', '/scopes', '/scopes'));
  });

  it('needs nothing that is required and not asked for, and reads what is required in full', () => {
    expect(chooseScopes(OFFERED, ['webhooks'], ['tasks'])).toEqual(['tasks']);
    expect(requiredOf(OFFERED, ['leads', 'tasks:read', 'webhooks'])).toEqual(['leads:read']);
  });
});
