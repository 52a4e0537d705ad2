import { setTimeout as delay } from 'node:timers/promises';
import { RevocationSource } from '@crm/access';
import { PlatformError, type RpcRequest, rpc } from '@crm/contracts';
import { reinstateTenant, suspendTenant, waitUntil } from '@crm/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Fixture, useMarketplace } from './support/fixture.js';
import { newKey } from './support/packages.js';

let key: string;
let { marketplace, neighbours, developer, tenant } = {} as Fixture;
useMarketplace((fixture) => {
  ({ marketplace, neighbours, developer, tenant } = fixture);
});
beforeAll(async () => {
  key = newKey();
  await marketplace.publish(developer, key);
});

const settles = (isSuspended: boolean) =>
  waitUntil(() => marketplace.service.get(RevocationSource).isSuspended(tenant.tenantId) === isSuspended, {
    timeoutMs: 1_000,
  });

describe('an installation in a workspace that is suspended meanwhile', () => {
  it('stops after its step, waits, and goes on there', async () => {
    neighbours.instead(rpc.customObjects.provisionObjects, async (request) => {
      const provisioned = await neighbours.provisionObjects(request);
      await suspendTenant(tenant.tenantId);
      await settles(true);
      // As identity answers from here on.
      neighbours.instead(rpc.identity.mintInternalToken, () => {
        throw new PlatformError('WORKSPACE_SUSPENDED');
      });
      return provisioned;
    });
    const { body } = await marketplace.install(tenant, key);
    // Several looks of the worker.
    await delay(500);
    type Provisioning = RpcRequest<typeof rpc.customObjects.provisionObjects>;
    const [asked] = neighbours.callsTo(rpc.customObjects.provisionObjects) as Provisioning[];
    const id = asked?.installationId ?? '';
    expect(neighbours.holds(id)).toEqual(['objects']);
    expect(body.code).not.toBe('WORKSPACE_SUSPENDED');
    neighbours.reset();
    await reinstateTenant(tenant.tenantId);
    await settles(false);
    await marketplace.settled(tenant, id, 'active');
    expect(neighbours.callsTo(rpc.customObjects.provisionObjects)).toEqual([]);
  });

  it('is not undone because identity knows of the suspension first', async () => {
    neighbours.instead(rpc.identity.mintInternalToken, () => {
      throw new PlatformError('WORKSPACE_SUSPENDED');
    });
    const installing = marketplace.install(tenant, key);
    // Longer than a step is tried again.
    await delay(2_000);
    neighbours.reset();
    await installing;
    const { body } = await marketplace.request(tenant, 'GET', '/installs');
    await marketplace.settled(tenant, body.data[0]?.id as string, 'active');
  });
});
