import type { Principal } from '@crm/context';
import { describe, expect, it } from '@jest/globals';
import { requireRight } from './require-right.js';

const principal = (changes: Partial<Principal>): Principal => ({
  kind: 'internal',
  userId: 'u',
  tenantId: 't',
  roles: ['member'],
  scopes: [],
  tokenId: 'j',
  issuedAtMs: 0,
  token: 'x',
  ...changes,
});

describe('requireRight', () => {
  it('gives the caller whom the rule lets through', () => {
    const admin = principal({ roles: ['admin'] });
    expect(requireRight({ principal: admin }, { right: 'administer' })).toBe(admin);
  });

  it.each<[string, Principal | undefined, string]>([
    ['nobody', undefined, 'UNAUTHENTICATED'],
    ['a member', principal({}), 'FORBIDDEN'],
    ['an embedded admin', principal({ kind: 'embed', roles: ['admin'] }), 'EMBED_TOKEN_REFUSED'],
    ['an app', principal({ kind: 'app', roles: ['app'] }), 'FORBIDDEN'],
  ])('refuses %s', (_who, caller, code) => {
    expect(() => requireRight({ principal: caller }, { right: 'administer' })).toThrow(
      expect.objectContaining({ code }),
    );
  });
});
