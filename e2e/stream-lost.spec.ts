import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../scripts/demo/client.mjs';
import { startDemoReceiver } from '../scripts/demo/receiver.mjs';
import { type Account, api, newWorkspace } from './platform/accounts.js';
import { addresses, pidOf } from './platform/addresses.js';

const LEADS = 10;

describe('NATS that has lost its store', () => {
  let receiver: Awaited<ReturnType<typeof startDemoReceiver>>;
  let tenant: Account;
  beforeAll(async () => {
    receiver = await startDemoReceiver(addresses.demoReceiver);
    tenant = await newWorkspace();
    await api('POST', '/api/webhooks/subscriptions', {
      token: tenant.token,
      body: { events: ['lead.created'], url: `${addresses.demoReceiver.url}/stream-lost` },
      expect: 201,
    });
  });
  afterAll(() => receiver?.close());

  const postLeads = async (): Promise<string[]> => {
    const ids: string[] = [];
    for (let count = 0; count < LEADS; count += 1) {
      const { body } = await api('POST', '/api/crm/leads', {
        token: tenant.token,
        body: { lastName: `Lead ${randomUUID()}` },
        expect: 201,
      });
      ids.push(body.id);
    }
    return ids;
  };
  const delivered = () => receiver.received.map(({ body }) => JSON.parse(body).data.id as string);
  const allDelivered = (ids: readonly string[]) =>
    eventually(async () => ids.every((id) => delivered().includes(id)), 'the deliveries', 60_000);
  const refills = async () => {
    const answer = await fetch(`${addresses.services['custom-objects']?.operationsUrl}/metrics`);
    return Number(/^outbox_refills_total\{.*\} (\d+)$/m.exec(await answer.text())?.[1]);
  };

  it('gets its streams and their events back by itself, and nothing is delivered twice', async () => {
    const before = await postLeads();
    await allDelivered(before);
    const refillsBefore = await refills();
    const killed = await pidOf('NATS');
    process.kill(killed, 'SIGKILL');
    // At once, before it is started again.
    rmSync(path.join(addresses.dataDir, 'nats', 'jetstream'), { recursive: true });
    const meanwhile = await postLeads();
    await eventually(async () => (await refills()) > refillsBefore, 'the relay publishes again', 60_000);
    const after = await postLeads();
    await allDelivered([...meanwhile, ...after]);
    const ours = [...before, ...meanwhile, ...after];
    const received = delivered().filter((id) => ours.includes(id));
    expect(received.toSorted()).toEqual(ours.toSorted());
  }, 180_000);
});
