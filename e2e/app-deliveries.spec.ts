import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../scripts/demo/client.mjs';
import { embeddingPackage, REVIEW_PACKET } from '../scripts/demo/packages.mjs';
import { type Account, admin, api, newWorkspace, operatorToken } from './platform/accounts.js';

interface AppDelivery {
  id: string;
  event: string;
  installationId: string;
  url: string;
}

/** The name leads nowhere: the test looks at whether the deliveries are made, not whether they arrive. */
const APP_URL = 'https://hooks.acme.example.com/events';

describe('the deliveries of an app', () => {
  const appKey = `acme-told-${randomBytes(4).toString('hex')}`;
  let developer: Account;
  let customer: Account;
  beforeAll(async () => {
    [developer, customer] = [await newWorkspace(), await newWorkspace()];
    const manifest = {
      ...embeddingPackage(appKey),
      webhooks: [{ events: ['lead.created', 'app.uninstalled'], url: APP_URL, description: 'leads and removals' }],
    };
    const { body } = await api('POST', '/api/marketplace/developer/apps/submit', {
      token: developer.token,
      body: { manifest, reviewPacket: REVIEW_PACKET },
      expect: 201,
    });
    await admin('POST', `/api/admin/submissions/${body.submissionId}/publish`, {
      token: await operatorToken(),
      body: { reason: 'Reviewed for the test' },
      expect: 200,
    });
  });

  const ledger = (rest: string, token = developer.token, expect = 200) =>
    api('GET', `/api/marketplace/developer/apps/${appKey}/${rest}`, { token, expect });
  const first = (event: string): Promise<AppDelivery> =>
    eventually(async () => (await ledger(`deliveries?event=${event}`)).body.data[0], `a delivery of ${event}`);
  const lead = () =>
    api('POST', '/api/crm/leads', { token: customer.token, body: { lastName: 'Lovelace' }, expect: 201 });

  it('are seen by its developer, in workspaces of others, to the last one after it was uninstalled', async () => {
    const installs = '/api/marketplace/installs';
    const installed = await api('POST', installs, { token: customer.token, body: { appKey }, expect: 201 });
    const { id: installationId } = installed.body;
    const own = await api('POST', '/api/webhooks/subscriptions', {
      token: customer.token,
      body: { events: ['lead.created'], url: 'https://hooks.customer.example.com/' },
      expect: 201,
    });
    await lead();
    expect(await first('lead.created')).toMatchObject({ installationId, url: APP_URL });

    const removed = await api('DELETE', `${installs}/${installationId}`, { token: customer.token, expect: 200 });
    expect(removed.body.state).toBe('uninstalled');
    await lead();
    const told = await first('app.uninstalled');
    // Both leads have been handled when the workspace's own subscription has them.
    await eventually(async () => {
      const path = `/api/webhooks/deliveries?subscriptionId=${own.body.id}`;
      return (await api('GET', path, { token: customer.token, expect: 200 })).body.data.length === 2;
    }, 'a delivery of each lead');
    expect(told).toMatchObject({ installationId, url: APP_URL });
    const { body: all } = await ledger('deliveries');
    expect(all.data.map(({ event }: AppDelivery) => event)).toEqual(['app.uninstalled', 'lead.created']);
    const shown = await ledger(`deliveries/${told.id}`);
    expect(shown.body).toMatchObject({ id: told.id, event: 'app.uninstalled' });
    for (const text of [JSON.stringify(all), JSON.stringify(shown.body)]) {
      for (const hidden of [customer.tenantId, 'Lovelace']) expect(text).not.toContain(hidden);
    }
    const stats: { deliveries: number }[] = (await ledger('stats')).body.data;
    const sum = stats.reduce((total, { deliveries }) => total + deliveries, 0);
    expect(sum).toBe(2);
    for (const path of ['deliveries', `deliveries/${told.id}`, 'stats']) {
      await ledger(path, customer.token, 404);
    }
  });
});
