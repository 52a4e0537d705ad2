import { PlatformError, SCOPE_NAMES } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import type { AccessRule } from './access.guard.js';
import type { Principal } from './request-context.js';
import { authorize } from './rights.guard.js';

const principal = (changes: Partial<Principal>): Principal => {
  const ids = { userId: 'u', tenantId: 't', tokenId: 'j', issuedAtMs: 0, token: 'x' };
  return { kind: 'user', ...ids, roles: ['member'], scopes: [], ...changes };
};

const outcome = (who: Partial<Principal>, rule: AccessRule): string => {
  try {
    authorize(principal(who), rule);
    return 'allowed';
  } catch (error) {
    return (error as PlatformError).code;
  }
};

const APP: Partial<Principal> = { kind: 'app', roles: ['app:acme'] };
/** An app that acts for an owner, with every scope. */
const FOR_OWNER: Partial<Principal> = { kind: 'app', roles: ['owner'], appKey: 'acme', scopes: [...SCOPE_NAMES] };
const KEY: Partial<Principal> = { apiKeyId: 'k', scopes: ['leads'] };
const OWNERS_KEY: Partial<Principal> = { apiKeyId: 'k', roles: ['owner'], scopes: [...SCOPE_NAMES] };
const INTERNAL_APP: Partial<Principal> = { ...APP, kind: 'internal', appKey: 'acme' };
const EMBED: Partial<Principal> = { kind: 'embed', scopes: ['leads'] };
const REVIEWER: Partial<Principal> = { kind: 'operator', roles: ['reviewer'] };
const READ_LEADS: AccessRule = { right: 'read', scope: 'leads' };
const WRITE_LEADS: AccessRule = { right: 'write', scope: 'leads' };
const ADMINISTER_WEBHOOKS: AccessRule = { right: 'administer', scope: 'webhooks' };

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
    ['empty scopes do not restrict a session', {}, WRITE_LEADS, 'allowed'],
    ['scopes restrict a session', { scopes: ['leads:read'] }, WRITE_LEADS, 'INSUFFICIENT_SCOPE'],
    ['an app needs the scope', APP, READ_LEADS, 'INSUFFICIENT_SCOPE'],
    ['an app can read with :read', { ...APP, scopes: ['leads:read'] }, READ_LEADS, 'allowed'],
    ['an app cannot write with :read', { ...APP, scopes: ['leads:read'] }, WRITE_LEADS, 'INSUFFICIENT_SCOPE'],
    ['the name of every app grants no right', { roles: ['app'] }, { right: 'read', app: true }, 'FORBIDDEN'],
    ['an app cannot administer', APP, { right: 'administer', app: true }, 'FORBIDDEN'],
    ['an app that acts for an owner cannot administer', FOR_OWNER, ADMINISTER_WEBHOOKS, 'FORBIDDEN'],
    ['an app that acts for an owner cannot own', FOR_OWNER, { right: 'own', app: true }, 'FORBIDDEN'],
    ['an app that acts for an owner can write', { ...FOR_OWNER, scopes: ['leads'] }, WRITE_LEADS, 'allowed'],
    ['an app is refused without a scope', APP, { right: 'read' }, 'FORBIDDEN'],
    ['an app is accepted with app: true', APP, { right: 'read', app: true }, 'allowed'],
    ['an API key is refused without a scope', KEY, { right: 'read' }, 'API_KEY_REFUSED'],
    ['an API key of an owner is refused without a scope', OWNERS_KEY, { right: 'own' }, 'API_KEY_REFUSED'],
    ['an API key is accepted with key: true', KEY, { right: 'read', key: true }, 'allowed'],
    ['an API key is refused with key: false', KEY, { ...READ_LEADS, key: false }, 'API_KEY_REFUSED'],
    ['an API key cannot write with :read', { ...KEY, scopes: ['leads:read'] }, WRITE_LEADS, 'INSUFFICIENT_SCOPE'],
    ['an API key cannot do more than the role', { ...KEY, roles: ['viewer'] }, WRITE_LEADS, 'FORBIDDEN'],
    ['an embed token is refused without a scope', { kind: 'embed' }, { right: 'read' }, 'EMBED_TOKEN_REFUSED'],
    ['an embed token is accepted with embed: true', { kind: 'embed' }, { right: 'read', embed: true }, 'allowed'],
    ['an embed token is refused with embed: false', EMBED, { ...READ_LEADS, embed: false }, 'EMBED_TOKEN_REFUSED'],
    ['an embed token is restricted by its scopes', EMBED, { right: 'read', scope: 'contacts' }, 'INSUFFICIENT_SCOPE'],
    ['an embed token of an admin can do what its scope allows', { ...EMBED, roles: ['admin'] }, WRITE_LEADS, 'allowed'],
    ['an internal token of a user is not restricted', { kind: 'internal' }, WRITE_LEADS, 'allowed'],
    ['an internal token of an app is restricted', INTERNAL_APP, WRITE_LEADS, 'INSUFFICIENT_SCOPE'],
    ['an administrator can administer', { ...REVIEWER, roles: ['administrator'] }, { right: 'administer' }, 'allowed'],
    ['a reviewer can write', REVIEWER, { right: 'write' }, 'allowed'],
    ['a reviewer cannot administer', REVIEWER, { right: 'administer' }, 'FORBIDDEN'],
    ['a user with a role of operators can do nothing', { roles: ['administrator'] }, { right: 'read' }, 'FORBIDDEN'],
    ['an operator without a role cannot read', { ...REVIEWER, roles: ['owner'] }, { right: 'read' }, 'FORBIDDEN'],
  ])('%s', (_what, who, rule, expected) => expect(outcome(who, rule)).toBe(expected));

  it('names the missing scope', () => {
    const missing = new PlatformError('INSUFFICIENT_SCOPE', 'The token needs the scope leads:read');
    expect(() => authorize(principal(APP), READ_LEADS)).toThrow(missing);
  });
});
