import { describe, expect, it } from '@jest/globals';
import type { AppDecision } from '../src/catalogue/version-state.js';
import { AppDecisionService } from '../src/review/app-decision.service.js';
import { QueueService } from '../src/review/queue.service.js';
import { type Fixture, useMarketplace } from './support/fixture.js';
import { theOperator } from './support/marketplace.js';
import { fieldService, newKey } from './support/packages.js';

let { marketplace, developer, tenant } = {} as Fixture;
useMarketplace((fixture) => {
  ({ marketplace, developer, tenant } = fixture);
});

const administrator = { ...theOperator, roles: ['administrator'] };
const decisions = () => marketplace.service.get(AppDecisionService);
const decide = (key: string, decision: AppDecision, reason = 'It loses data.', operator = administrator) =>
  decisions().decide(operator, key, decision, reason);
const code = (expected: string) => expect.objectContaining({ code: expected });
const listed = async (key: string) =>
  (await marketplace.request(tenant, 'GET', `/apps?q=${key}`)).body.data.some((app) => app.key === key);
async function published(changes: object = {}): Promise<string> {
  const key = newKey();
  await marketplace.publish(developer, key, changes);
  return key;
}

describe('the impact of an app', () => {
  it('counts live installations and their tenants, over all tenants, and sandboxes apart', async () => {
    const key = await published();
    const other = await marketplace.caller();
    const gone = await marketplace.caller();
    for (const caller of [tenant, other, gone]) {
      expect((await marketplace.install(caller, key)).status).toBe(201);
    }
    expect((await marketplace.install(developer, key, { sandbox: true })).status).toBe(201);
    const { body } = await marketplace.request(gone, 'GET', '/installs');
    await marketplace.request(gone, 'DELETE', `/installs/${body.data[0]?.id}`);
    await marketplace.settled(gone, body.data[0]?.id ?? '', 'uninstalled');
    await marketplace.install(tenant, await published());
    expect(await decisions().measure(theOperator, key)).toMatchObject({
      key,
      publisher: { tenantId: developer.tenantId },
      publishedVersion: '1.0.0',
      impact: { installations: 2, tenants: 2, sandboxes: 1 },
    });
    await expect(decisions().measure(theOperator, newKey())).rejects.toEqual(code('NOT_FOUND'));
    await expect(decisions().measure(theOperator, '\0')).rejects.toEqual(code('NOT_FOUND'));
  });
});

describe('a suspended app', () => {
  it('leaves the marketplace and cannot be installed, keeps its installations, and comes back', async () => {
    const key = await published();
    const installed = await marketplace.install(tenant, key);
    expect(await decide(key, 'suspend')).toMatchObject({
      publishedVersion: null,
      suspendedVersion: '1.0.0',
      impact: { installations: 1 },
    });
    expect(await listed(key)).toBe(false);
    const other = await marketplace.caller();
    for (const wanted of [{}, { version: '1.0.0' }]) {
      expect((await marketplace.install(other, key, wanted)).body.code).toBe('APP_NOT_INSTALLABLE');
    }
    const kept = await marketplace.request(tenant, 'GET', `/installs/${installed.body.id}`);
    expect(kept.body.state).toBe('active');
    const own = await marketplace.request(developer, 'GET', '/developer/apps');
    expect(own.body.data[0]?.versions[0]).toMatchObject({ versionStatus: 'suspended', verdict: 'It loses data.' });

    expect(await decide(key, 'reinstate', 'Fixed.')).toMatchObject({
      publishedVersion: '1.0.0',
      suspendedVersion: null,
    });
    expect(await listed(key)).toBe(true);
    expect((await marketplace.install(other, key)).status).toBe(201);
  });

  it('is replaced by a later version, and then not reinstated', async () => {
    const key = await published();
    await decide(key, 'suspend');
    const { body } = await marketplace.submit(developer, fieldService(key, { version: '1.0.1' }));
    await marketplace.decide(body.submissionId, 'publish', 'It repairs the loss.');
    expect(await listed(key)).toBe(true);
    await expect(decide(key, 'reinstate')).rejects.toEqual(code('SUBMISSION_STATE'));
  });

  it('is not brought back by an older version', async () => {
    const key = newKey();
    const { body: older } = await marketplace.submit(developer, fieldService(key, { version: '1.0.0' }));
    const { body: newer } = await marketplace.submit(developer, fieldService(key, { version: '1.1.0' }));
    await marketplace.decide(newer.submissionId, 'publish', 'The warnings are known.');
    await decide(key, 'suspend');
    const publication = marketplace.decide(older.submissionId, 'publish', 'The warnings are known.');
    await expect(publication).rejects.toEqual(code('SUBMISSION_STATE'));
    expect(await listed(key)).toBe(false);
    expect(await decisions().measure(theOperator, key)).toMatchObject({ suspendedVersion: '1.1.0' });
    expect(await decide(key, 'reinstate')).toMatchObject({ publishedVersion: '1.1.0' });
  });

  it('is suspended once by operators who do so at the same moment', async () => {
    const key = await published();
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => decide(key, 'suspend')));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('a revoked app', () => {
  it('leaves the marketplace for good with every version that anybody may have', async () => {
    const key = await published();
    await marketplace.install(tenant, key);
    const { body: next } = await marketplace.submit(developer, fieldService(key, { version: '1.0.1' }));
    await marketplace.decide(next.submissionId, 'publish', 'It repairs the loss.');
    const { body: later } = await marketplace.submit(developer, fieldService(key, { version: '1.0.2' }));
    expect(await decide(key, 'revoke', 'It steals data.')).toMatchObject({
      publishedVersion: null,
      suspendedVersion: null,
      revoked: true,
      impact: { installations: 1 },
    });
    expect(await listed(key)).toBe(false);
    const other = await marketplace.caller();
    for (const wanted of [{}, { version: '1.0.0' }, { version: '1.0.1' }]) {
      expect((await marketplace.install(other, key, wanted)).body.code).toBe('APP_NOT_INSTALLABLE');
    }
    const own = await marketplace.request(developer, 'GET', '/developer/apps');
    const app = own.body.data.find((candidate) => candidate.key === key);
    expect(app?.versions.map(({ versionStatus }) => versionStatus)).toEqual(['in_review', 'revoked', 'revoked']);
    for (const decision of ['reinstate', 'suspend', 'revoke', 'unlist'] as const) {
      await expect(decide(key, decision)).rejects.toEqual(code('SUBMISSION_STATE'));
    }
    const publication = marketplace.decide(later.submissionId, 'publish', 'It is honest now.');
    await expect(publication).rejects.toEqual(code('SUBMISSION_STATE'));
    expect(await decisions().measure(theOperator, key)).toMatchObject({ publishedVersion: null, revoked: true });
  });

  it('may have been suspended before', async () => {
    const key = await published();
    await decide(key, 'suspend');
    expect(await decide(key, 'revoke')).toMatchObject({ suspendedVersion: null, revoked: true });
    await expect(decide(key, 'reinstate')).rejects.toEqual(code('SUBMISSION_STATE'));
  });
});

describe('an unlisted app', () => {
  it('is installed by those who know its key, also after a suspension', async () => {
    const key = await published();
    expect(await decide(key, 'unlist', 'It copies another app.')).toMatchObject({ visibility: 'unlisted' });
    expect(await listed(key)).toBe(false);
    expect((await marketplace.install(tenant, key)).status).toBe(201);
    await expect(decide(key, 'unlist')).rejects.toEqual(code('SUBMISSION_STATE'));
    await decide(key, 'suspend');
    expect(await decide(key, 'reinstate')).toMatchObject({ visibility: 'unlisted' });
  });

  it('stays unlisted when its next version is published, which its reviewer is told', async () => {
    const key = await published();
    await decide(key, 'unlist', 'It copies another app.');
    const { body } = await marketplace.submit(developer, fieldService(key, { version: '1.0.1' }));
    const queue = marketplace.service.get(QueueService);
    expect(await queue.get(theOperator, body.submissionId)).toMatchObject({ unlistedByOperator: true });
    await marketplace.decide(body.submissionId, 'publish', 'It is still a copy.');
    expect(await listed(key)).toBe(false);
    expect(await decisions().measure(theOperator, key)).toMatchObject({
      publishedVersion: '1.0.1',
      visibility: 'unlisted',
      unlistedByOperator: true,
    });
  });

  it('becomes private when its publisher says so', async () => {
    const key = await published();
    await decide(key, 'unlist', 'It copies another app.');
    const { listing } = fieldService(key);
    const changes = { version: '1.0.1', listing: { ...listing, visibility: 'private' as const } };
    const { body } = await marketplace.submit(developer, fieldService(key, changes as object));
    await marketplace.decide(body.submissionId, 'publish', 'Fine.');
    expect(await decisions().measure(theOperator, key)).toMatchObject({ visibility: 'private' });
  });
});

describe('decisions on apps', () => {
  it('need a reason, an app that is published, and an operator who has nothing to do with it', async () => {
    const key = await published();
    await expect(decide(key, 'suspend', ' \n ')).rejects.toEqual(code('VALIDATION_FAILED'));
    await expect(decide(key, 'reinstate')).rejects.toEqual(code('SUBMISSION_STATE'));
    await expect(decide(newKey(), 'suspend')).rejects.toEqual(code('NOT_FOUND'));
    const linked = { ...administrator, linkedTenantId: developer.tenantId };
    for (const decision of ['suspend', 'reinstate', 'revoke', 'unlist'] as const) {
      await expect(decide(key, decision, 'x', linked)).rejects.toEqual(code('OWN_SUBMISSION'));
    }
    const user = { ...administrator, kind: 'user' as const, tenantId: developer.tenantId };
    await expect(decide(key, 'suspend', 'x', user)).rejects.toEqual(code('FORBIDDEN'));
    await expect(decisions().measure(user, key)).rejects.toEqual(code('FORBIDDEN'));
    expect(await decisions().measure(theOperator, key)).toMatchObject({
      publishedVersion: '1.0.0',
      visibility: 'public',
    });
  });
});
