import type { Principal } from '@crm/context';
import { PlatformError } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import type { AccessRule } from './access.decorator.js';
import { authorize } from './authorize.js';

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
    ['a viewer reads', { roles: ['viewer'] }, { right: 'read' }, 'allowed'],
    ['a viewer does not write', { roles: ['viewer'] }, { right: 'write' }, 'FORBIDDEN'],
    ['a member does not administer', {}, { right: 'administer' }, 'FORBIDDEN'],
    ['an admin administers', { roles: ['admin'] }, { right: 'administer' }, 'allowed'],
    ['an admin does not own', { roles: ['admin'] }, { right: 'own' }, 'FORBIDDEN'],
    ['a role the tenant added gives nothing', { roles: ['sales'] }, { right: 'read' }, 'FORBIDDEN'],
    ['a role named like a property gives nothing', { roles: ['constructor'] }, { right: 'read' }, 'FORBIDDEN'],
    ['no role gives nothing', { roles: [] }, { right: 'read' }, 'FORBIDDEN'],
    ['a session is not narrowed by empty scopes', {}, { right: 'write', scope: 'leads' }, 'allowed'],
    ['a session with scopes is', { scopes: ['leads:read'] }, { right: 'write', scope: 'leads' }, 'INSUFFICIENT_SCOPE'],
    [
      'an app needs the scope',
      { kind: 'app', roles: ['app'] },
      { right: 'read', scope: 'leads' },
      'INSUFFICIENT_SCOPE',
    ],
    [
      'an app reads with :read',
      { kind: 'app', roles: ['app'], scopes: ['leads:read'] },
      { right: 'read', scope: 'leads' },
      'allowed',
    ],
    [
      'an app does not write with :read',
      { kind: 'app', roles: ['app'], scopes: ['leads:read'] },
      { right: 'write', scope: 'leads' },
      'INSUFFICIENT_SCOPE',
    ],
    ['an app is refused without a scope', { kind: 'app', roles: ['app'] }, { right: 'read' }, 'FORBIDDEN'],
    ['an app is let in by app: true', { kind: 'app', roles: ['app'] }, { right: 'read', app: true }, 'allowed'],
    ['an embed token is refused without a scope', { kind: 'embed' }, { right: 'read' }, 'EMBED_TOKEN_REFUSED'],
    ['an embed token is let in by embed: true', { kind: 'embed' }, { right: 'read', embed: true }, 'allowed'],
    [
      'an embed token is refused by embed: false',
      { kind: 'embed', scopes: ['webhooks'] },
      { right: 'read', scope: 'webhooks', embed: false },
      'EMBED_TOKEN_REFUSED',
    ],
    [
      'an embed token is narrowed by its scopes',
      { kind: 'embed', scopes: ['leads'] },
      { right: 'read', scope: 'contacts' },
      'INSUFFICIENT_SCOPE',
    ],
    [
      'an embed token of an admin does what its scope says',
      { kind: 'embed', roles: ['admin'], scopes: ['leads'] },
      { right: 'write', scope: 'leads' },
      'allowed',
    ],
    [
      'an internal token of a user is not narrowed',
      { kind: 'internal' },
      { right: 'write', scope: 'leads' },
      'allowed',
    ],
    [
      'an internal token of an app is',
      { kind: 'internal', roles: ['app'], appKey: 'acme' },
      { right: 'write', scope: 'leads' },
      'INSUFFICIENT_SCOPE',
    ],
    ['an operator operates', { kind: 'operator', roles: ['operator'] }, { right: 'administer' }, 'allowed'],
    ['an operator without the role does not', { kind: 'operator', roles: ['owner'] }, { right: 'read' }, 'FORBIDDEN'],
  ])('%s', (_what, who, rule, expected) => {
    expect(outcome(who, rule)).toBe(expected);
  });

  it('names the scope that is missing', () => {
    const who = principal({ kind: 'app', roles: ['app'] });
    expect(() => authorize(who, { right: 'read', scope: 'leads' })).toThrow(
      new PlatformError('INSUFFICIENT_SCOPE', 'The scope leads:read is needed'),
    );
  });
});
