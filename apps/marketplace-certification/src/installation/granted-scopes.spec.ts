import type { Manifest } from '@crm/manifest';
import { describe, expect, it } from '@jest/globals';
import { grantScopes } from './granted-scopes.js';

const manifest = (permissions: Manifest['permissions']): Manifest => ({
  key: 'app',
  name: 'App',
  version: '1.0.0',
  kind: 'industry_app',
  permissions,
});

describe('grantScopes', () => {
  const asked = manifest(['tasks', { scope: 'leads:read', purpose: 'why', optional: true }]);

  it('grants every scope that is not optional, unless the administrator chooses others', () => {
    expect(grantScopes(asked)).toEqual(['tasks']);
    expect(grantScopes(asked, ['leads:read', 'tasks', 'tasks'])).toEqual(['leads:read', 'tasks']);
    expect(grantScopes(manifest(undefined))).toEqual([]);
  });

  it('refuses scopes that the app does not request', () => {
    const attempt = () => grantScopes(asked, ['tasks', 'leads']);
    expect(attempt).toThrow(expect.objectContaining({ code: 'SCOPE_NOT_REQUESTED' }) as unknown as Error);
    try {
      attempt();
    } catch (error) {
      expect((error as { extra: { errors: { pointer: string }[] } }).extra.errors[0]?.pointer).toBe('/grantedScopes/1');
    }
  });

  it('refuses a grant that lacks a required scope', () => {
    expect(() => grantScopes(asked, ['leads:read'])).toThrow(
      expect.objectContaining({ code: 'SCOPE_REQUIRED' }) as unknown as Error,
    );
  });

  it('treats a scope that is requested twice as required if it is required once', () => {
    expect(grantScopes(manifest([{ scope: 'tasks', optional: true }, 'tasks']))).toEqual(['tasks']);
  });
});
