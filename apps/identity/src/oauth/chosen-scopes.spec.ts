import type { PlatformError } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { chooseScopes, requiredOf } from './token-request.js';

const OFFERED = ['tasks', 'leads:read', 'contacts'];

/** The code of a refusal, and the pointers of its errors. */
function refusal(act: () => unknown): string[] {
  try {
    act();
  } catch (error) {
    const { code, extra } = error as PlatformError;
    return [code, ...(extra.errors?.map(({ pointer }) => pointer) ?? [])];
  }
  throw new Error('Nothing was refused');
}

describe('what a user gives of the scopes that an app asks for', () => {
  it('is what they choose, each scope once, in the order in which it is offered', () => {
    expect(chooseScopes(OFFERED, [], ['contacts', 'tasks', 'contacts'])).toEqual(['tasks', 'contacts']);
    expect(chooseScopes(OFFERED, ['tasks'], OFFERED)).toEqual(OFFERED);
  });

  it('is never more than what is offered, also when it is close to it', () => {
    const refused = refusal(() => chooseScopes(OFFERED, [], ['tasks', 'leads', 'contacts:read']));
    expect(refused).toEqual(['SCOPE_NOT_OFFERED', '/scopes/1', '/scopes/2']);
  });

  it('has everything that the app requires of it', () => {
    const refused = refusal(() => chooseScopes(OFFERED, ['tasks', 'leads:read'], ['contacts']));
    expect(refused).toEqual(['SCOPE_REQUIRED', '/scopes', '/scopes']);
  });

  it('needs nothing that is required and not asked for, and reads what is required in full', () => {
    expect(chooseScopes(OFFERED, ['webhooks'], ['tasks'])).toEqual(['tasks']);
    expect(requiredOf(OFFERED, ['leads', 'tasks:read', 'webhooks'])).toEqual(['leads:read']);
  });
});
