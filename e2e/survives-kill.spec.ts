import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../scripts/demo/client.mjs';
import { startDemoReceiver } from '../scripts/demo/receiver.mjs';
import { type Account, api, newWorkspace } from './platform/accounts.js';
import { addresses, pidOf } from './platform/addresses.js';

/** Leads to be accepted; the service is killed after a third of them. */
const LEADS = 150;
/** Requests in flight at a time. */
const WORKERS = 6;

/** A service whose port is closed is not ready either. */
const isReady = (service: string): Promise<boolean> =>
  fetch(`${addresses.services[service]?.operationsUrl}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

describe('kill -9 of a service', () => {
  let receiver: Awaited<ReturnType<typeof startDemoReceiver>>;
  let tenant: Account;
  beforeAll(async () => {
    receiver = await startDemoReceiver(addresses.demoReceiver);
    tenant = await newWorkspace();
    await api('POST', '/api/webhooks/subscriptions', {
      token: tenant.token,
      body: { events: ['lead.created'], url: `${addresses.demoReceiver.url}/kill` },
      expect: 201,
    });
  });
  afterAll(() => receiver?.close());

  /** @returns the id of the accepted lead; null when custom-objects is unavailable, which only its own kill may cause */
  const postLead = async (killedService: string): Promise<string | null> => {
    const { status, body } = await api('POST', '/api/crm/leads', {
      token: tenant.token,
      body: { lastName: `Lead ${randomUUID()}` },
    });
    if (status === 201) return body.id;
    expect([killedService, status, body.code]).toEqual(['custom-objects', 503, 'SERVICE_UNAVAILABLE']);
    return null;
  };

  const deliveredIds = () => new Set(receiver.received.map(({ body }) => JSON.parse(body).data.id as string));

  it.each(['webhook-dispatcher', 'custom-objects'])(
    '%s loses no event that was accepted before, during or after the kill',
    async (service) => {
      const killed = await pidOf(service);
      const accepted: string[] = [];
      let isKilled = false;
      const work = async () => {
        while (accepted.length < LEADS) {
          const id = await postLead(service);
          if (id === null) await eventually(() => isReady('custom-objects'), 'the return of custom-objects', 60_000);
          else accepted.push(id);
          if (accepted.length >= LEADS / 3 && !isKilled) {
            isKilled = true;
            process.kill(killed, 'SIGKILL');
          }
        }
      };
      await Promise.all(Array.from({ length: WORKERS }, work));
      expect(isKilled).toBe(true);

      await eventually(
        async () => (await pidOf(service)) !== killed && isReady(service),
        `the restart of ${service}`,
        60_000,
      );
      const after = await eventually(() => postLead(service), 'a lead after the restart');
      accepted.push(after);
      await eventually(
        async () => {
          const delivered = deliveredIds();
          return accepted.every((id) => delivered.has(id));
        },
        `the delivery of ${accepted.length} events`,
        90_000,
      );
    },
  );
});
