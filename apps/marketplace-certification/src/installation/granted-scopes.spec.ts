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

describe('granted scopes', () => {
  const asked = manifest(['tasks', { scope: 'leads:read', purpose: 'why', optional: true }]);

  it('are all that is not optional, unless the administrator says otherwise', () => {
    expect(grantScopes(asked)).toEqual(['tasks']);
    expect(grantScopes(asked, ['leads:read', 'tasks', 'tasks'])).toEqual(['leads:read', 'tasks']);
    expect(grantScopes(manifest(undefined))).toEqual([]);
  });

  it('are never more than the app asks for', () => {
    const attempt = () => grantScopes(asked, ['tasks', 'leads']);
    expect(attempt).toThrow(expect.objectContaining({ code: 'SCOPE_NOT_REQUESTED' }) as unknown as Error);
    try {
      attempt();
    } catch (error) {
      expect((error as { extra: { errors: { pointer: string }[] } }).extra.errors[0]?.pointer).toBe('/grantedScopes/1');
    }
  });

  it('are never less than the app needs', () => {
    expect(() => grantScopes(asked, ['leads:read'])).toThrow(
      expect.objectContaining({ code: 'SCOPE_REQUIRED' }) as unknown as Error,
    );
  });

  it('take a scope that is asked for twice as needed if it is needed once', () => {
    expect(grantScopes(manifest([{ scope: 'tasks', optional: true }, 'tasks']))).toEqual(['tasks']);
  });
});
