import type { TestTokens } from '@crm/testing';
import { client } from '../../scripts/demo/client.mjs';
import type { Endpoint } from './endpoint.js';

/** A token of an administrator; like any, it is valid for a quarter of an hour. */
export const signFor = (tokens: TestTokens, tenantId: string): Promise<string> => tokens.sign({ tid: tenantId });

/**
 * Subscribes an endpoint to the leads of its tenant.
 * @param url of a dispatcher
 */
export async function subscribe(
  endpoint: Endpoint,
  { url, token, ordering }: { url: string; token: string; ordering?: 'none' | 'record' },
): Promise<void> {
  const { body } = await client(url)('POST', '/api/webhooks/subscriptions', {
    token,
    body: { events: ['lead.created'], url: `${endpoint.url}/events`, ...(ordering ? { ordering } : {}) },
    expect: 201,
  });
  endpoint.subscriptionId = body.id;
}
