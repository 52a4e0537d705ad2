import type { PlatformError } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { chooseScopes, requiredOf } from './token-request.js';

const OFFERED = ['tasks', 'leads:read', 'contacts'];

function refusal(act: () => unknown): Pick<PlatformError, 'code'> & { pointers: string[] } {
  try {
    act();
  } catch (error) {
    const { code, extra } = error as PlatformError;
    return { code, pointers: extra.errors?.map(({ pointer }) => pointer) ?? [] };
  }
  throw new Error('Nothing was refused');
}

describe('what a user gives of the scopes that an app asks for', () => {
  it('is what they choose, each scope once, in the order in which it is offered', () => {
    expect(chooseScopes(OFFERED, [], ['contacts', 'tasks', 'contacts'])).toEqual(['tasks', 'contacts']);
    expect(chooseScopes(OFFERED, ['tasks'], OFFERED)).toEqual(OFFERED);
  });

  it('is never more than what is offered, also when it is close to it', () => {
    expect(refusal(() => chooseScopes(OFFERED, [], ['tasks', 'leads', 'contacts:read']))).toEqual({
      code: 'SCOPE_NOT_OFFERED',
      pointers: ['/scopes/1', '/scopes/2'],
    });
  });

  it('has everything that the app requires of it', () => {
    expect(refusal(() => chooseScopes(OFFERED, ['tasks', 'leads:read'], ['contacts']))).toEqual({
      code: 'SCOPE_REQUIRED',
      pointers: ['/scopes', '/scopes'],
    });
  });

  it('needs nothing that is required and not asked for, and reads what is required in full', () => {
    expect(chooseScopes(OFFERED, ['webhooks'], ['tasks'])).toEqual(['tasks']);
    expect(requiredOf(OFFERED, ['leads', 'tasks:read', 'webhooks'])).toEqual(['leads:read']);
  });
});
