import { PlatformError, SCOPE_NAMES } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { type AccessRule, authorize } from './access.guard.js';
import type { Principal } from './request-context.js';

const principal = (changes: Partial<Principal>): Principal => ({
  kind: 'user',
  userId: 'u',
  tenantId: 't',
  roles: ['member'],
  scopes: [],
  tokenId: 'j',
  issuedAtMs: 0,
  token: 'x',
  ...changes,
});

const outcome = (who: Partial<Principal>, rule: AccessRule): string => {
  try {
    authorize(principal(who), rule);
    return 'allowed';
  } catch (error) {
    return (error as PlatformError).code;
  }
};

describe('authorize', () => {
  it.each<[string, Partial<Principal>, AccessRule, string]>([
    ['a viewer can read', { roles: ['viewer'] }, { right: 'read' }, 'allowed'],
    ['a viewer cannot write', { roles: ['viewer'] }, { right: 'write' }, 'FORBIDDEN'],
    ['a member cannot administer', {}, { right: 'administer' }, 'FORBIDDEN'],
    ['an admin can administer', { roles: ['admin'] }, { right: 'administer' }, 'allowed'],
    ['an admin lacks the right to own', { roles: ['admin'] }, { right: 'own' }, 'FORBIDDEN'],
    ['a role the tenant added grants no right', { roles: ['sales'] }, { right: 'read' }, 'FORBIDDEN'],
    ['a role named like a property grants no right', { roles: ['constructor'] }, { right: 'read' }, 'FORBIDDEN'],
    ['no role grants no right', { roles: [] }, { right: 'read' }, 'FORBIDDEN'],
    ['empty scopes do not restrict a session', {}, { right: 'write', scope: 'leads' }, 'allowed'],
    ['scopes restrict a session', { scopes: ['leads:read'] }, { right: 'write', scope: 'leads' }, 'INSUFFICIENT_SCOPE'],
    [
      'an app needs the scope',
      { kind: 'app', roles: ['app:acme'] },
      { right: 'read', scope: 'leads' },
      'INSUFFICIENT_SCOPE',
    ],
    [
      'an app can read with :read',
      { kind: 'app', roles: ['app:acme'], scopes: ['leads:read'] },
      { right: 'read', scope: 'leads' },
      'allowed',
    ],
    [
      'an app cannot write with :read',
      { kind: 'app', roles: ['app:acme'], scopes: ['leads:read'] },
      { right: 'write', scope: 'leads' },
      'INSUFFICIENT_SCOPE',
    ],
    ['the name of every app grants no right', { roles: ['app'] }, { right: 'read', app: true }, 'FORBIDDEN'],
    ['an app cannot administer', { kind: 'app', roles: ['app:acme'] }, { right: 'administer', app: true }, 'FORBIDDEN'],
    [
      'an app that acts for an owner cannot administer, whatever its scopes',
      { kind: 'app', roles: ['owner'], appKey: 'acme', scopes: [...SCOPE_NAMES] },
      { right: 'administer', scope: 'webhooks' },
      'FORBIDDEN',
    ],
    [
      'an app that acts for an owner cannot own',
      { kind: 'app', roles: ['owner'], appKey: 'acme', scopes: [...SCOPE_NAMES] },
      { right: 'own', app: true },
      'FORBIDDEN',
    ],
    [
      'an app that acts for an owner can write with the scope',
      { kind: 'app', roles: ['owner'], appKey: 'acme', scopes: ['leads'] },
      { right: 'write', scope: 'leads' },
      'allowed',
    ],
    ['an app is refused without a scope', { kind: 'app', roles: ['app:acme'] }, { right: 'read' }, 'FORBIDDEN'],
    [
      'an app is accepted with app: true',
      { kind: 'app', roles: ['app:acme'] },
      { right: 'read', app: true },
      'allowed',
    ],
    [
      'an API key is refused without a scope',
      { apiKeyId: 'k', scopes: ['leads'] },
      { right: 'read' },
      'API_KEY_REFUSED',
    ],
    [
      'an API key is refused without a scope, whatever its role',
      { apiKeyId: 'k', roles: ['owner'], scopes: [...SCOPE_NAMES] },
      { right: 'own' },
      'API_KEY_REFUSED',
    ],
    [
      'an API key is accepted with key: true',
      { apiKeyId: 'k', scopes: ['leads'] },
      { right: 'read', key: true },
      'allowed',
    ],
    [
      'an API key is refused with key: false',
      { apiKeyId: 'k', scopes: ['leads'] },
      { right: 'read', scope: 'leads', key: false },
      'API_KEY_REFUSED',
    ],
    [
      'an API key cannot write with :read',
      { apiKeyId: 'k', scopes: ['leads:read'] },
      { right: 'write', scope: 'leads' },
      'INSUFFICIENT_SCOPE',
    ],
    [
      'an API key cannot do more than the role',
      { apiKeyId: 'k', roles: ['viewer'], scopes: ['leads'] },
      { right: 'write', scope: 'leads' },
      'FORBIDDEN',
    ],
    ['an embed token is refused without a scope', { kind: 'embed' }, { right: 'read' }, 'EMBED_TOKEN_REFUSED'],
    ['an embed token is accepted with embed: true', { kind: 'embed' }, { right: 'read', embed: true }, 'allowed'],
    [
      'an embed token is refused with embed: false',
      { kind: 'embed', scopes: ['webhooks'] },
      { right: 'read', scope: 'webhooks', embed: false },
      'EMBED_TOKEN_REFUSED',
    ],
    [
      'an embed token is restricted by its scopes',
      { kind: 'embed', scopes: ['leads'] },
      { right: 'read', scope: 'contacts' },
      'INSUFFICIENT_SCOPE',
    ],
    [
      'an embed token of an admin can do what its scope allows',
      { kind: 'embed', roles: ['admin'], scopes: ['leads'] },
      { right: 'write', scope: 'leads' },
      'allowed',
    ],
    [
      'an internal token of a user is not restricted',
      { kind: 'internal' },
      { right: 'write', scope: 'leads' },
      'allowed',
    ],
    [
      'an internal token of an app is restricted',
      { kind: 'internal', roles: ['app:acme'], appKey: 'acme' },
      { right: 'write', scope: 'leads' },
      'INSUFFICIENT_SCOPE',
    ],
    [
      'an administrator can administer',
      { kind: 'operator', roles: ['administrator'] },
      { right: 'administer' },
      'allowed',
    ],
    ['a reviewer can write', { kind: 'operator', roles: ['reviewer'] }, { right: 'write' }, 'allowed'],
    ['a reviewer cannot administer', { kind: 'operator', roles: ['reviewer'] }, { right: 'administer' }, 'FORBIDDEN'],
    [
      'a user with a role of operators can do nothing',
      { kind: 'user', roles: ['administrator'] },
      { right: 'read' },
      'FORBIDDEN',
    ],
    ['an operator without a role cannot read', { kind: 'operator', roles: ['owner'] }, { right: 'read' }, 'FORBIDDEN'],
  ])('%s', (_what, who, rule, expected) => {
    expect(outcome(who, rule)).toBe(expected);
  });

  it('names the missing scope', () => {
    const who = principal({ kind: 'app', roles: ['app:acme'] });
    expect(() => authorize(who, { right: 'read', scope: 'leads' })).toThrow(
      new PlatformError('INSUFFICIENT_SCOPE', 'The scope leads:read is required'),
    );
  });
});
