import { PlatformError, rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import type { AppDecision } from '../src/catalogue/version-state.js';
import { ClientStatusRepository } from '../src/credentials/client-status.repository.js';
import { ClientStatusService } from '../src/credentials/client-status.service.js';
import { AppDecisionService } from '../src/review/app-decision.service.js';
import { type Fixture, useMarketplace } from './support/fixture.js';
import { theOperator } from './support/marketplace.js';
import { fieldService, newKey } from './support/packages.js';

let { marketplace, neighbours, developer } = {} as Fixture;
useMarketplace((fixture) => {
  ({ marketplace, neighbours, developer } = fixture);
});

const administrator = { ...theOperator, roles: ['administrator'] };
const decide = (key: string, decision: AppDecision) =>
  marketplace.service.get(AppDecisionService).decide(administrator, key, decision, 'It loses data.');
const untold = () => {
  const statuses = marketplace.service.get(ClientStatusRepository);
  return marketplace.service.get(Database).crossTenant((tx) => statuses.listKeys(tx, 1_000));
};
/** The statuses of an app that identity was told, or was to be told. */
const told = (key: string) =>
  (neighbours.callsTo(rpc.identity.setOAuthAppStatus) as { appKey: string; status: string }[])
    .filter(({ appKey }) => appKey === key)
    .map(({ status }) => status);
async function published(): Promise<string> {
  const key = newKey();
  await marketplace.publish(developer, key);
  return key;
}

describe('what identity learns of a decision about an app', () => {
  it('is that it is suspended, and active again, once each', async () => {
    const key = await published();
    await decide(key, 'suspend');
    expect(told(key)).toEqual(['suspended']);
    await decide(key, 'reinstate');
    expect(told(key)).toEqual(['suspended', 'active']);
    await decide(key, 'unlist');
    await marketplace.service.get(ClientStatusService).sweep();
    expect(told(key)).toEqual(['suspended', 'active']);
    expect(await untold()).not.toContain(key);
  });

  it('is that it is revoked, for good', async () => {
    const key = await published();
    await decide(key, 'suspend');
    await decide(key, 'revoke');
    await expect(decide(key, 'reinstate')).rejects.toMatchObject({ code: 'SUBMISSION_STATE' });
    await marketplace.service.get(ClientStatusService).sweep();
    expect(told(key)).toEqual(['suspended', 'revoked']);
  });

  it('is told later when identity is away, and does not hold up the decision', async () => {
    const [key, other] = [await published(), await published()];
    neighbours.instead(rpc.identity.setOAuthAppStatus, ({ appKey }) => {
      if (appKey === key) throw new PlatformError('SERVICE_UNAVAILABLE');
      return {};
    });
    expect(await decide(key, 'suspend')).toMatchObject({ suspendedVersion: '1.0.0' });
    await decide(other, 'suspend');
    await marketplace.service.get(ClientStatusService).sweep();
    expect(await untold()).toContain(key);
    expect(await untold()).not.toContain(other);
    neighbours.instead(rpc.identity.setOAuthAppStatus, () => ({}));
    await marketplace.service.get(ClientStatusService).sweep();
    expect(told(key).at(-1)).toBe('suspended');
    expect(await untold()).not.toContain(key);
  });

  it('is the later of two decisions, when it could be told neither', async () => {
    const key = await published();
    neighbours.instead(rpc.identity.setOAuthAppStatus, () => {
      throw new PlatformError('SERVICE_UNAVAILABLE');
    });
    await decide(key, 'suspend');
    await decide(key, 'reinstate');
    const before = told(key).length;
    neighbours.instead(rpc.identity.setOAuthAppStatus, () => ({}));
    await marketplace.service.get(ClientStatusService).sweep();
    expect(told(key).slice(before)).toEqual(['active']);
  });

  it('is nothing of a decision that was refused', async () => {
    const key = await published();
    await expect(decide(key, 'reinstate')).rejects.toMatchObject({ code: 'SUBMISSION_STATE' });
    expect(told(key)).toEqual([]);
    expect(await untold()).not.toContain(key);
  });

  it('is that an app is active again when a later version takes the place of the suspended one', async () => {
    const key = await published();
    await decide(key, 'suspend');
    const { body } = await marketplace.submit(developer, fieldService(key, { version: '1.0.1' }));
    await marketplace.decide(body.submissionId, 'publish', 'It repairs the loss.');
    await waitUntil(async () => told(key).at(-1) === 'active', { timeoutMs: 10_000, describe: 'identity is told' });
  });
});
