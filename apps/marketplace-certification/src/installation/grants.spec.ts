import type { Manifest } from '@crm/manifest';
import { describe, expect, it } from '@jest/globals';
import { grantedWebhooks, grantScopes } from './grants.js';

const app = (parts: Partial<Manifest>): Manifest => ({
  key: 'app',
  name: 'App',
  version: '1.0.0',
  kind: 'industry_app',
  ...parts,
});
const manifest = (permissions: Manifest['permissions']) => app({ permissions });

describe('grantScopes', () => {
  const asked = manifest(['tasks', { scope: 'leads:read', purpose: 'why', optional: true }]);

  it('grants every scope that is not optional, unless the administrator chooses others', () => {
    expect(grantScopes(asked)).toEqual(['tasks']);
    expect(grantScopes(asked, ['leads:read', 'tasks', 'tasks'])).toEqual(['leads:read', 'tasks']);
    expect(grantScopes(manifest(undefined))).toEqual([]);
  });

  it('refuses scopes that the app does not request, and a grant that lacks a required scope', () => {
    const errors = [expect.objectContaining({ pointer: '/grantedScopes/1' })];
    expect(() => grantScopes(asked, ['tasks', 'leads'])).toThrow(
      expect.objectContaining({ code: 'SCOPE_NOT_REQUESTED', extra: { errors } }) as never,
    );
    expect(() => grantScopes(asked, ['leads:read'])).toThrow(
      expect.objectContaining({ code: 'SCOPE_REQUIRED' }) as never,
    );
  });

  it('treats a scope that is requested twice as required if it is required once', () => {
    expect(grantScopes(manifest([{ scope: 'tasks', optional: true }, 'tasks']))).toEqual(['tasks']);
  });
});

describe('grantedWebhooks', () => {
  const asked = app({
    webhooks: [
      { events: ['lead.created', 'deal.won', 'app.installed'], url: 'https://hooks.example.com/a' },
      { events: ['deal.won'], url: 'https://hooks.example.com/b' },
    ],
  });

  it('keeps only the events that the granted scopes allow to read', () => {
    expect(grantedWebhooks(asked, ['leads:read'])).toEqual([
      { events: ['lead.created', 'app.installed'], url: 'https://hooks.example.com/a' },
    ]);
  });

  it('keeps every event when a full scope covers reading', () => {
    expect(grantedWebhooks(asked, ['leads', 'pipeline']).map(({ events }) => events)).toEqual([
      ['lead.created', 'deal.won', 'app.installed'],
      ['deal.won'],
    ]);
  });

  it('keeps a domain only when the scope of all its events was granted', () => {
    const webhooks = [{ events: ['lead.*', 'deal.*', 'deal.won', 'webhook.*'], url: 'https://hooks.example.com/a' }];
    const events = (scopes: string[]) => grantedWebhooks(app({ webhooks }), scopes).map((kept) => kept.events);
    expect(events(['leads:read'])).toEqual([['lead.*', 'webhook.*']]);
    expect(events(['pipeline'])).toEqual([['deal.*', 'deal.won', 'webhook.*']]);
  });
});
