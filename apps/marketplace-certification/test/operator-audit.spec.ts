import { type OperatorAuditEntry, rpc } from '@crm/contracts';
import { NatsConnection, Rpc } from '@crm/messaging';
import { testNats } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Fixture, useMarketplace } from './support/fixture.js';
import { theOperator } from './support/marketplace.js';
import { fieldService, newKey } from './support/packages.js';

let nats: NatsConnection;
let admin: Rpc;
let { marketplace, developer } = {} as Fixture;
useMarketplace((fixture) => {
  ({ marketplace, developer } = fixture);
});

beforeAll(async () => {
  const { url, passwords } = testNats();
  const service = 'marketplace-admin';
  nats = await NatsConnection.open({ url, user: service, password: passwords[service], service });
  admin = new Rpc(nats);
});
afterAll(() => nats.close());

const tokenOf = (role: string, more: object = {}) =>
  marketplace.sign({ aud: 'platform-admin', sub: theOperator.userId, roles: [role], ...more });
async function trail(query: object): Promise<OperatorAuditEntry[]> {
  const token = await tokenOf('administrator');
  return (await admin.call(rpc.marketplace.listOperatorAudit, { limit: 100, ...query }, { token })).data;
}
async function submitted(changes: object = {}): Promise<{ id: string; key: string }> {
  const key = newKey();
  const { body } = await marketplace.submit(developer, fieldService(key, changes));
  return { id: body.submissionId, key };
}

describe('the trail of operators', () => {
  it('has every decision, with who, why, what they knew and what it changed', async () => {
    const { id, key } = await submitted({ listing: undefined });
    await marketplace.decide(id, 'claim');
    await marketplace.decide(id, 'approve', 'An internal tool.');
    const entries = await trail({ subjectKind: 'submission', subjectId: id });
    expect(entries.map(({ act }) => act)).toEqual(['submission.approve', 'submission.claim']);
    expect(entries[0]).toMatchObject({
      operatorId: theOperator.userId,
      role: 'reviewer',
      subjectName: `${key} 1.0.0`,
      reason: 'An internal tool.',
      findings: { publisherId: developer.tenantId, failedChecks: ['LST-001'] },
      before: { status: 'in_review', claimedBy: theOperator.userId },
      after: { status: 'approved' },
    });
  });

  it('has nothing of what was refused or rolled back', async () => {
    const { id } = await submitted();
    const linked = { ...theOperator, linkedTenantId: developer.tenantId };
    await expect(marketplace.decide(id, 'publish', 'x', linked)).rejects.toMatchObject({ code: 'OWN_SUBMISSION' });
    await expect(marketplace.decide(id, 'reject')).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await trail({ subjectId: id })).toEqual([]);
  });

  it('is searched by operator, act, subject, text and time, and goes on by the last entry', async () => {
    const { id } = await submitted();
    const from = Date.now();
    await marketplace.decide(id, 'claim');
    await marketplace.decide(id, 'release');
    await marketplace.decide(id, 'reject', `Zebra ${id}`);
    expect(await trail({ text: `ZEBRA ${id}` })).toHaveLength(1);
    expect((await trail({ act: 'submission.release', subjectId: id })).map(({ act }) => act)).toEqual([
      'submission.release',
    ]);
    expect(await trail({ operatorId: developer.userId, subjectId: id })).toEqual([]);
    expect(await trail({ subjectId: id, from })).toHaveLength(3);
    expect(await trail({ subjectId: id, to: from })).toEqual([]);
    const token = await tokenOf('administrator');
    const list = (query: object) =>
      admin.call(rpc.marketplace.listOperatorAudit, { subjectId: id, limit: 2, ...query }, { token });
    const first = await list({});
    expect([first.data.length, first.more]).toEqual([2, true]);
    const second = await list({ beforeId: first.data[1]?.id });
    expect([second.data.map(({ act }) => act), second.more]).toEqual([['submission.claim'], false]);
  });

  it('is for administrators: not for reviewers, not for users of a workspace', async () => {
    const call = (token?: string) =>
      admin.call(rpc.marketplace.listOperatorAudit, { limit: 1 }, token === undefined ? undefined : { token });
    await expect(call(await tokenOf('reviewer'))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(call(developer.token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await expect(call()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('is changed by nobody, through no role of the service', async () => {
    const { id } = await submitted();
    await marketplace.decide(id, 'reject', 'no');
    const attempts = ['operator_audit', 'submission_audit'].flatMap((table) => [
      `update ${table} set reason = 'yes'`,
      `delete from ${table}`,
      `truncate ${table}`,
      `alter table ${table} disable row level security`,
    ]);
    for (const sql of attempts) {
      await expect(marketplace.database.crossTenant((tx) => tx.query(sql))).rejects.toThrow(/permission|owner/);
      await expect(marketplace.database.transaction(developer.tenantId, (tx) => tx.query(sql))).rejects.toThrow(
        /permission|owner/,
      );
    }
    expect((await trail({ subjectId: id })).map(({ reason }) => reason)).toEqual(['no']);
  });
});

describe('the calls about apps', () => {
  it('let reviewers see the impact, and administrators decide', async () => {
    const key = newKey();
    await marketplace.publish(developer, key);
    const reviewer = { token: await tokenOf('reviewer') };
    expect(await admin.call(rpc.marketplace.getAppImpact, { appKey: key }, reviewer)).toMatchObject({
      installations: 0,
    });
    const suspend = { appKey: key, decision: 'suspend' as const, reason: 'It loses data.' };
    await expect(admin.call(rpc.marketplace.decideApp, suspend, reviewer)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(admin.call(rpc.marketplace.decideApp, suspend, { token: developer.token })).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    const linked = { token: await tokenOf('administrator', { linked_tid: developer.tenantId }) };
    await expect(admin.call(rpc.marketplace.decideApp, suspend, linked)).rejects.toMatchObject({
      code: 'OWN_SUBMISSION',
    });
    await admin.call(rpc.marketplace.decideApp, suspend, { token: await tokenOf('administrator') });
    expect(await trail({ subjectKind: 'app', subjectId: key })).toMatchObject([
      {
        act: 'app.suspend',
        role: 'administrator',
        reason: 'It loses data.',
        findings: { installations: 0, tenants: 0, sandboxes: 0 },
        before: { publishedVersion: '1.0.0', suspendedVersion: null },
        after: { publishedVersion: null, suspendedVersion: '1.0.0' },
      },
    ]);
  });
});
