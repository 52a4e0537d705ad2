import { EVENTS, PlatformError, rpc } from '@crm/contracts';
import { waitUntil } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import Value from 'typebox/value';
import { ClientStatusRepository, ClientStatusService } from '../src/credentials/client-status.service.js';
import { AppDecisionService } from '../src/review/app-decision.service.js';
import { QueueService } from '../src/review/queue.service.js';
import { developer, marketplace, neighbours, tenant, useMarketplace } from './support/fixture.js';
import { type Marketplace, refusedWith, theAdministrator, theOperator } from './support/marketplace.js';
import { fieldService, newKey } from './support/packages.js';

useMarketplace();

const EVENT = 'submission.decided';
const decisions = () => marketplace.service.get(AppDecisionService);
const decide: Marketplace['decideApp'] = (...decision) => marketplace.decideApp(...decision);
const published = () => marketplace.published(developer);
const submitted = (key?: string, changes?: object) => marketplace.submitted(developer, changes, key);
const listed = async (key: string) =>
  (await marketplace.get(tenant, `/apps?q=${key}`)).body.data.some((app) => app.key === key);
/** What the publisher has been told, in order. */
async function events(): Promise<Record<string, unknown>[]> {
  const appended = (await marketplace.events(developer.tenantId)).filter(({ name }) => name === EVENT);
  for (const { data } of appended) expect([...Value.Errors(EVENTS[EVENT].data, data)]).toEqual([]);
  return appended.map(({ data }) => data as Record<string, unknown>);
}
const sweep = () => marketplace.service.get(ClientStatusService).sweep();
const untold = () => {
  const statuses = marketplace.service.get(ClientStatusRepository);
  return marketplace.database.crossTenant((tx) => statuses.listKeys(tx, 1_000));
};
/** The statuses of an app that identity was told, or was to be told. */
const told = (key: string) =>
  (neighbours.callsTo(rpc.identity.setOAuthAppStatus) as { appKey: string; status: string }[])
    .filter(({ appKey }) => appKey === key)
    .map(({ status }) => status);

describe('the impact of an app', () => {
  it('counts live installations and their tenants, over all tenants, and sandboxes apart', async () => {
    const key = await published();
    const other = await marketplace.caller();
    const gone = await marketplace.caller();
    for (const caller of [tenant, other, gone]) {
      expect((await marketplace.install(caller, key)).status).toBe(201);
    }
    expect((await marketplace.install(developer, key, { sandbox: true })).status).toBe(201);
    const { body } = await marketplace.get(gone, '/installs');
    await marketplace.delete(gone, `/installs/${body.data[0]?.id}`);
    await marketplace.settled(gone, body.data[0]?.id ?? '', 'uninstalled');
    await marketplace.install(tenant, await published());
    expect(await decisions().measure(theOperator, key)).toMatchObject({
      key,
      publisher: { tenantId: developer.tenantId },
      publishedVersion: '1.0.0',
      impact: { installations: 2, tenants: 2, sandboxes: 1 },
    });
    await refusedWith('NOT_FOUND', decisions().measure(theOperator, newKey()));
    await refusedWith('NOT_FOUND', decisions().measure(theOperator, '\0'));
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
    const kept = await marketplace.get(tenant, `/installs/${installed.body.id}`);
    expect(kept.body.state).toBe('active');
    const own = await marketplace.get(developer, '/developer/apps');
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
    const { id } = await submitted(key, { version: '1.0.1' });
    await marketplace.decide(id, 'publish', 'It repairs the loss.');
    expect(await listed(key)).toBe(true);
    await refusedWith('SUBMISSION_STATE', decide(key, 'reinstate'));
  });

  it('is not brought back by an older version', async () => {
    const key = newKey();
    const { id: older } = await submitted(key, { version: '1.0.0' });
    const { id: newer } = await submitted(key, { version: '1.1.0' });
    await marketplace.decide(newer, 'publish', 'The warnings are known.');
    await decide(key, 'suspend');
    const publication = marketplace.decide(older, 'publish', 'The warnings are known.');
    await refusedWith('SUBMISSION_STATE', publication);
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
    const { id: next } = await submitted(key, { version: '1.0.1' });
    await marketplace.decide(next, 'publish', 'It repairs the loss.');
    const { id: later } = await submitted(key, { version: '1.0.2' });
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
    const own = await marketplace.get(developer, '/developer/apps');
    const app = own.body.data.find((candidate) => candidate.key === key);
    expect(app?.versions.map(({ versionStatus }) => versionStatus)).toEqual(['in_review', 'revoked', 'revoked']);
    for (const decision of ['reinstate', 'suspend', 'revoke', 'unlist'] as const) {
      await refusedWith('SUBMISSION_STATE', decide(key, decision));
    }
    const publication = marketplace.decide(later, 'publish', 'It is honest now.');
    await refusedWith('SUBMISSION_STATE', publication);
    expect(await decisions().measure(theOperator, key)).toMatchObject({ publishedVersion: null, revoked: true });
  });

  it('may have been suspended before', async () => {
    const key = await published();
    await decide(key, 'suspend');
    expect(await decide(key, 'revoke')).toMatchObject({ suspendedVersion: null, revoked: true });
    await refusedWith('SUBMISSION_STATE', decide(key, 'reinstate'));
  });
});

describe('an unlisted app', () => {
  it('is installed by those who know its key, also after a suspension', async () => {
    const key = await published();
    expect(await decide(key, 'unlist', 'It copies another app.')).toMatchObject({ visibility: 'unlisted' });
    expect(await listed(key)).toBe(false);
    expect((await marketplace.install(tenant, key)).status).toBe(201);
    await refusedWith('SUBMISSION_STATE', decide(key, 'unlist'));
    await decide(key, 'suspend');
    expect(await decide(key, 'reinstate')).toMatchObject({ visibility: 'unlisted' });
  });

  it('stays unlisted when its next version is published, which its reviewer is told', async () => {
    const key = await published();
    await decide(key, 'unlist', 'It copies another app.');
    const { id } = await submitted(key, { version: '1.0.1' });
    const queue = marketplace.service.get(QueueService);
    expect(await queue.get(theOperator, id)).toMatchObject({ unlistedByOperator: true });
    await marketplace.decide(id, 'publish', 'It is still a copy.');
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
    const { id } = await submitted(key, changes);
    await marketplace.decide(id, 'publish', 'Fine.');
    expect(await decisions().measure(theOperator, key)).toMatchObject({ visibility: 'private' });
  });
});

describe('decisions on apps', () => {
  it('need a reason, an app that is published, and an operator who has nothing to do with it', async () => {
    const key = await published();
    await refusedWith('VALIDATION_FAILED', decide(key, 'suspend', ' \n '));
    await refusedWith('SUBMISSION_STATE', decide(key, 'reinstate'));
    await refusedWith('NOT_FOUND', decide(newKey(), 'suspend'));
    const linked = { ...theAdministrator, linkedTenantId: developer.tenantId };
    for (const decision of ['suspend', 'reinstate', 'revoke', 'unlist'] as const) {
      await refusedWith('OWN_SUBMISSION', decide(key, decision, 'x', linked));
    }
    const user = { ...theAdministrator, kind: 'user' as const, tenantId: developer.tenantId };
    await refusedWith('FORBIDDEN', decide(key, 'suspend', 'x', user));
    await refusedWith('FORBIDDEN', decisions().measure(user, key));
    expect(await decisions().measure(theOperator, key)).toMatchObject({
      publishedVersion: '1.0.0',
      visibility: 'public',
    });
  });
});

describe('the publisher of an app', () => {
  it('is told each decision on a submission with its reason, and not who reviews or when', async () => {
    const { id, key } = await submitted();
    await marketplace.decide(id, 'claim');
    await marketplace.decide(id, 'release');
    await marketplace.decide(id, 'claim');
    await marketplace.decide(id, 'approve');
    await marketplace.decide(id, 'publish', 'The warnings are known.');
    const about = {
      submissionId: id,
      appKey: key,
      appName: fieldService(key).name,
      version: '1.0.0',
      submittedBy: developer.userId,
    };
    expect(await events()).toEqual([
      { ...about, decision: 'approved' },
      { ...about, decision: 'published', reason: 'The warnings are known.' },
    ]);
  });

  it('is told of requested changes and of a rejection', async () => {
    const { id } = await submitted();
    await marketplace.decide(id, 'request-changes', 'Explain the demo.');
    await marketplace.decide(id, 'reject', 'No answer.');
    expect((await events()).map(({ decision, reason }) => [decision, reason])).toEqual([
      ['changes_requested', 'Explain the demo.'],
      ['rejected', 'No answer.'],
    ]);
  });

  it('is told once of what operators decide about the app, however many of its versions that moves', async () => {
    const { id: first, key } = await submitted();
    await marketplace.decide(first, 'publish', 'Fine.');
    const { id: second } = await submitted(key, { version: '1.1.0' });
    await marketplace.decide(second, 'publish', 'Fine.');
    await submitted(key, { version: '1.2.0' });
    await decide(key, 'unlist', 'It is for few.');
    await decide(key, 'suspend');
    await decide(key, 'reinstate', 'Repaired.');
    await decide(key, 'suspend');
    await decide(key, 'revoke', 'It steals data.');
    const ofApp = (await events()).slice(2);
    expect(ofApp.map(({ decision, reason }) => [decision, reason])).toEqual([
      ['unlisted', 'It is for few.'],
      ['suspended', 'It loses data.'],
      ['reinstated', 'Repaired.'],
      ['suspended', 'It loses data.'],
      ['revoked', 'It steals data.'],
    ]);
    expect(new Set(ofApp.map(({ submissionId, version }) => `${submissionId} ${version}`))).toEqual(
      new Set([`${second} 1.1.0`]),
    );
  });

  it('is told nothing by a decision that is refused, and once by several at the same moment', async () => {
    const { id, key } = await submitted();
    await refusedWith('SUBMISSION_STATE', decide(key, 'revoke'));
    await refusedWith('VALIDATION_FAILED', marketplace.decide(id, 'reject'));
    const linked = { ...theOperator, linkedTenantId: developer.tenantId };
    await refusedWith('OWN_SUBMISSION', marketplace.decide(id, 'reject', 'x', linked));
    expect(await events()).toEqual([]);
    await Promise.allSettled(
      Array.from({ length: 5 }, (_, index) => marketplace.decide(id, 'reject', `Reason ${index}`)),
    );
    expect(await events()).toHaveLength(1);
  });

  it('alone is told, and no operator is named in it', async () => {
    const { id } = await submitted();
    await marketplace.decide(id, 'reject', 'No.');
    const envelopes = await marketplace.database.crossTenant((tx) =>
      tx.query<{ tenant: string; envelope: Record<string, unknown> }>(
        `SELECT tenant_id AS tenant, envelope FROM outbox WHERE name = $1 AND envelope ->> 'subject' = $2`,
        [EVENT, id],
      ),
    );
    expect(envelopes).toMatchObject([
      { tenant: developer.tenantId, envelope: { tenantid: developer.tenantId, actorkind: 'operator' } },
    ]);
    expect(JSON.stringify(envelopes)).not.toContain(theOperator.userId);
    expect(envelopes[0]?.envelope).not.toHaveProperty('appkeys');
  });
});

describe('what identity learns of a decision about an app', () => {
  it('is that it is suspended, and active again, once each', async () => {
    const key = await published();
    await decide(key, 'suspend');
    expect(told(key)).toEqual(['suspended']);
    await decide(key, 'reinstate');
    expect(told(key)).toEqual(['suspended', 'active']);
    await decide(key, 'unlist');
    await sweep();
    expect(told(key)).toEqual(['suspended', 'active']);
    expect(await untold()).not.toContain(key);
  });

  it('is that it is revoked, for good', async () => {
    const key = await published();
    await decide(key, 'suspend');
    await decide(key, 'revoke');
    await refusedWith('SUBMISSION_STATE', decide(key, 'reinstate'));
    await sweep();
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
    await sweep();
    expect(await untold()).toContain(key);
    expect(await untold()).not.toContain(other);
    neighbours.instead(rpc.identity.setOAuthAppStatus, () => ({}));
    await sweep();
    expect(told(key).at(-1)).toBe('suspended');
    expect(await untold()).not.toContain(key);
  });

  it('is the later of two decisions, when it could be told neither', async () => {
    const key = await published();
    neighbours.refuse(rpc.identity.setOAuthAppStatus, 'SERVICE_UNAVAILABLE');
    await decide(key, 'suspend');
    await decide(key, 'reinstate');
    const before = told(key).length;
    neighbours.instead(rpc.identity.setOAuthAppStatus, () => ({}));
    await sweep();
    expect(told(key).slice(before)).toEqual(['active']);
  });

  it('is nothing of a decision that was refused', async () => {
    const key = await published();
    await refusedWith('SUBMISSION_STATE', decide(key, 'reinstate'));
    expect(told(key)).toEqual([]);
    expect(await untold()).not.toContain(key);
  });

  it('is that an app is active again when a later version takes the place of the suspended one', async () => {
    const key = await published();
    await decide(key, 'suspend');
    const { id } = await submitted(key, { version: '1.0.1' });
    await marketplace.decide(id, 'publish', 'It repairs the loss.');
    await waitUntil(async () => told(key).at(-1) === 'active', { timeoutMs: 10_000, describe: 'identity is told' });
  });
});
