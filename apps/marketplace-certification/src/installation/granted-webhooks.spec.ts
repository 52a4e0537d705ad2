import type { Manifest } from '@crm/manifest';
import { describe, expect, it } from '@jest/globals';
import { grantedWebhooks } from './granted-webhooks.js';

const manifest: Manifest = {
  key: 'app',
  name: 'App',
  version: '1.0.0',
  kind: 'event_service',
  webhooks: [
    { events: ['lead.created', 'deal.won', 'app.installed'], url: 'https://hooks.example.com/a' },
    { events: ['deal.won'], url: 'https://hooks.example.com/b' },
  ],
};

describe('grantedWebhooks', () => {
  it('keeps only the events that the granted scopes allow to read', () => {
    expect(grantedWebhooks(manifest, ['leads:read'])).toEqual([
      { events: ['lead.created', 'app.installed'], url: 'https://hooks.example.com/a' },
    ]);
  });

  it('keeps every event when a full scope covers reading', () => {
    expect(grantedWebhooks(manifest, ['leads', 'pipeline']).map(({ events }) => events)).toEqual([
      ['lead.created', 'deal.won', 'app.installed'],
      ['deal.won'],
    ]);
  });

  it('keeps a domain only when the scope of all its events was granted', () => {
    const webhooks = [{ events: ['lead.*', 'deal.*', 'deal.won', 'webhook.*'], url: 'https://hooks.example.com/a' }];
    const events = (scopes: string[]) => grantedWebhooks({ ...manifest, webhooks }, scopes).map((kept) => kept.events);
    expect(events(['leads:read'])).toEqual([['lead.*', 'webhook.*']]);
    expect(events(['pipeline'])).toEqual([['deal.*', 'deal.won', 'webhook.*']]);
  });
});
