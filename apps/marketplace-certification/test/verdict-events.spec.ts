import { EVENTS } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import Value from 'typebox/value';
import type { AppDecision } from '../src/catalogue/version-state.js';
import { AppDecisionService } from '../src/review/app-decision.service.js';
import { type Fixture, useMarketplace } from './support/fixture.js';
import { theOperator } from './support/marketplace.js';
import { fieldService, newKey } from './support/packages.js';

let { marketplace, developer } = {} as Fixture;
useMarketplace((fixture) => {
  ({ marketplace, developer } = fixture);
});

const EVENT = 'submission.decided';

async function submitted(key = newKey(), changes: object = {}): Promise<{ id: string; key: string }> {
  const { status, body } = await marketplace.submit(developer, fieldService(key, changes));
  expect(status).toBe(201);
  return { id: body.submissionId, key };
}
const decideApp = (key: string, decision: AppDecision, reason = 'It loses data.') =>
  marketplace.service
    .get(AppDecisionService)
    .decide({ ...theOperator, roles: ['administrator'] }, key, decision, reason);
/** What the publisher has been told, in order. */
async function told(): Promise<Record<string, unknown>[]> {
  const events = (await marketplace.events(developer.tenantId)).filter(({ name }) => name === EVENT);
  for (const { data } of events) expect([...Value.Errors(EVENTS[EVENT].data, data)]).toEqual([]);
  return events.map(({ data }) => data as Record<string, unknown>);
}
const decisions = async () => (await told()).map(({ decision, reason }) => [decision, reason]);

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
    expect(await told()).toEqual([
      { ...about, decision: 'approved' },
      { ...about, decision: 'published', reason: 'The warnings are known.' },
    ]);
  });

  it('is told of requested changes and of a rejection', async () => {
    const { id } = await submitted();
    await marketplace.decide(id, 'request-changes', 'Explain the demo.');
    await marketplace.decide(id, 'reject', 'No answer.');
    expect(await decisions()).toEqual([
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
    await decideApp(key, 'unlist', 'It is for few.');
    await decideApp(key, 'suspend');
    await decideApp(key, 'reinstate', 'Repaired.');
    await decideApp(key, 'suspend');
    await decideApp(key, 'revoke', 'It steals data.');
    const ofApp = (await told()).slice(2);
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
    await expect(decideApp(key, 'revoke')).rejects.toMatchObject({ code: 'SUBMISSION_STATE' });
    await expect(marketplace.decide(id, 'reject')).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    const linked = { ...theOperator, linkedTenantId: developer.tenantId };
    await expect(marketplace.decide(id, 'reject', 'x', linked)).rejects.toMatchObject({ code: 'OWN_SUBMISSION' });
    expect(await told()).toEqual([]);
    await Promise.allSettled(
      Array.from({ length: 5 }, (_, index) => marketplace.decide(id, 'reject', `Reason ${index}`)),
    );
    expect(await told()).toHaveLength(1);
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
