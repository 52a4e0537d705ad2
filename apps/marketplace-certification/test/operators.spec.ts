import { EVENTS, type OperatorAuditEntry, type OperatorAuditPage, PlatformError, rpc } from '@crm/contracts';
import { waitUntil } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import Value from 'typebox/value';
import { REVIEW_DECISIONS } from '../src/catalogue/version-state.js';
import { ClientStatusRepository, ClientStatusService } from '../src/credentials/client-status.service.js';
import { AppDecisionService } from '../src/review/app-decision.service.js';
import { QueueService } from '../src/review/queue.service.js';
import {
  developer,
  type Marketplace,
  marketplace,
  neighbours,
  refused,
  refusedWith,
  tenant,
  theAdministrator,
  theOperator,
  useMarketplace,
} from './support/marketplace.js';
import { fieldService, newKey } from './support/packages.js';

useMarketplace();

const EVENT = 'submission.decided';
const decisions = () => marketplace.service.get(AppDecisionService);
const decide: Marketplace['decideApp'] = (...decision) => marketplace.decideApp(...decision);
const published = () => marketplace.published(developer);
const submitted = (key?: string, changes?: object) => marketplace.submitted(developer, changes, key);
/** Submits and publishes a later version. */
const publishNext = async (key: string, changes: object) =>
  marketplace.decide((await submitted(key, changes)).id, 'publish', 'It repairs the loss.');
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

const tokenOf = (role: string, more: object = {}) =>
  marketplace.sign({ aud: 'platform-admin', sub: theOperator.userId, roles: [role], ...more });
type Answer = Omit<OperatorAuditPage, 'data'> & {
  code: string;
  data: (OperatorAuditEntry & { claimedBy?: string | null })[];
};
const call = (method: string, path: string, token?: string, body?: object) =>
  marketplace.service.requestOfOperator<Answer>(method, path, {
    ...(token !== undefined && { token }),
    ...(body && { body }),
  });
const page = (query: object, token?: string) => call('GET', `/audit?${new URLSearchParams({ ...query })}`, token);
const trail = async (query: object): Promise<OperatorAuditEntry[]> =>
  (await page({ size: '100', ...query }, await tokenOf('administrator'))).body.data;

describe('the calls of marketplace-admin', () => {
  const queued = async (token: string) =>
    (await call('GET', '/api/admin/submissions?status=in_review', token)).body.data;

  it('list and decide submissions with the token of an operator', async () => {
    const { id, key } = await submitted();
    const token = await tokenOf('reviewer');
    expect((await queued(token)).map((submission) => submission.id)).toContain(id);
    expect((await call('POST', `/api/admin/submissions/${id}/claim`, token)).status).toBe(200);
    const decided = await call('POST', `/api/admin/submissions/${id}/publish`, token, { reason: 'Looks good.' });
    expect(decided.body).toMatchObject({ versionStatus: 'published', verdict: 'Looks good.' });
    expect((await marketplace.get(developer, `/apps/${key}`)).status).toBe(200);
  });

  it('refuse every decision of an operator who is linked to the workspace of the publisher', async () => {
    const { id } = await submitted();
    const linked = await tokenOf('administrator', { linked_tid: developer.tenantId });
    for (const decision of REVIEW_DECISIONS) {
      const path = `/api/admin/submissions/${id}/${decision}`;
      await refused(call('POST', path, linked, { reason: 'mine' }), 403, 'OWN_SUBMISSION');
    }
    expect((await queued(linked)).find((submission) => submission.id === id)?.claimedBy).toBeNull();
  });

  it.each([
    ['GET', '/api/admin/submissions?status=lost', undefined, 400, 'INVALID_QUERY'],
    ['GET', '/api/admin/submissions?sort=name', undefined, 400, 'INVALID_QUERY'],
    ['GET', '/api/admin/submissions?claim=me', undefined, 400, 'INVALID_QUERY'],
    ['GET', '/api/admin/submissions?publisherId=x', undefined, 400, 'INVALID_QUERY'],
    ['GET', '/api/admin/submissions?size=201', undefined, 400, 'INVALID_QUERY'],
    ['GET', '/api/admin/submissions?submittedBefore=today', undefined, 400, 'INVALID_QUERY'],
    ['GET', '/api/admin/submissions/nonsense', undefined, 404, 'NOT_FOUND'],
    ['POST', '/api/admin/submissions/nonsense/publish', {}, 404, 'NOT_FOUND'],
    ['POST', '/api/admin/submissions/0198c0de-0000-7000-8000-000000000009/celebrate', {}, 404, 'NOT_FOUND'],
    ['POST', '/api/admin/apps/fleet/celebrate', { reason: 'x' }, 404, 'NOT_FOUND'],
    ['POST', '/api/admin/apps/fleet/suspend', {}, 422, 'VALIDATION_FAILED'],
    ['POST', '/api/admin/apps/fleet/suspend', { reason: ' ' }, 422, 'VALIDATION_FAILED'],
    ['POST', '/api/admin/apps/fleet/suspend', { reason: 'x'.repeat(2001) }, 422, 'VALIDATION_FAILED'],
    ['GET', '/audit?size=201', undefined, 400, 'INVALID_QUERY'],
  ])('refuse what they do not take: %s %s %j', async (method, path, body, status, code) => {
    await refused(call(method, path, await tokenOf('administrator'), body), status, code);
  });

  it('let reviewers see the impact of an app, and administrators decide about it', async () => {
    const key = await published();
    const reviewer = await tokenOf('reviewer');
    const impact = await call('GET', `/api/admin/apps/${key}/impact`, reviewer);
    expect(impact.body).toMatchObject({ impact: { installations: 0 } });
    const suspend = (token: string) =>
      call('POST', `/api/admin/apps/${key}/suspend`, token, { reason: 'It loses data.' });
    await refused(suspend(reviewer), 403, 'FORBIDDEN');
    await refused(suspend(developer.token), 401, 'UNAUTHENTICATED');
    const linked = await tokenOf('administrator', { linked_tid: developer.tenantId });
    await refused(suspend(linked), 403, 'OWN_SUBMISSION');
    expect((await suspend(await tokenOf('administrator'))).status).toBe(200);
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

describe('the trail of operators', () => {
  it('has every decision, with who, why, what they knew and what it changed', async () => {
    const { id, key } = await submitted(undefined, { listing: undefined });
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

  it('is searched by operator, act, subject, text and time, and goes on by the last entry', async () => {
    const { id } = await submitted();
    const from = new Date().toISOString();
    await marketplace.decide(id, 'claim');
    await marketplace.decide(id, 'release');
    await marketplace.decide(id, 'reject', `Zebra ${id}`);
    for (const [query, ...acts] of [
      [{ q: `ZEBRA ${id}` }, 'reject'],
      [{ act: 'submission.release', subjectId: id }, 'release'],
      [{ operatorId: developer.userId, subjectId: id }],
      [{ subjectId: id, from }, 'reject', 'release', 'claim'],
      [{ subjectId: id, to: from }],
    ] as [object, ...string[]][]) {
      expect((await trail(query)).map(({ act }) => act)).toEqual(acts.map((act) => `submission.${act}`));
    }
    const token = await tokenOf('administrator');
    const list = async (query: object) => (await page({ subjectId: id, size: '2', ...query }, token)).body;
    const first = await list({});
    expect([first.data.length, first.more]).toEqual([2, true]);
    const second = await list({ beforeId: first.data[1]?.id });
    expect([second.data.map(({ act }) => act), second.more]).toEqual([['submission.claim'], false]);
  });

  it('is for administrators: not for reviewers, not for users of a workspace', async () => {
    await refused(page({ size: '1' }, await tokenOf('reviewer')), 403, 'FORBIDDEN');
    for (const token of [developer.token, undefined]) {
      await refused(page({ size: '1' }, token), 401, 'UNAUTHENTICATED');
    }
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
      await expect(marketplace.query(sql)).rejects.toThrow(/permission|owner/);
      await expect(marketplace.queryOf(developer, sql)).rejects.toThrow(/permission|owner/);
    }
    expect((await trail({ subjectId: id })).map(({ reason }) => reason)).toEqual(['no']);
  });
});

it('the impact of an app counts live installations and their tenants, over all tenants, and sandboxes apart', async () => {
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
  for (const none of [newKey(), '\0']) await refusedWith('NOT_FOUND', decisions().measure(theOperator, none));
});

describe('a suspended app', () => {
  it('leaves the marketplace and cannot be installed, keeps its installations, and comes back', async () => {
    const key = await published();
    const installed = await marketplace.install(tenant, key);
    const suspended = { publishedVersion: null, suspendedVersion: '1.0.0', impact: { installations: 1 } };
    expect(await decide(key, 'suspend')).toMatchObject(suspended);
    expect(await listed(key)).toBe(false);
    const other = await marketplace.caller();
    for (const wanted of [{}, { version: '1.0.0' }]) {
      expect((await marketplace.install(other, key, wanted)).body.code).toBe('APP_NOT_INSTALLABLE');
    }
    const path = `/installs/${installed.body.id}`;
    const standing = async () => {
      const { state, appStatus, notices } = (await marketplace.get(tenant, path)).body;
      return [
        state,
        appStatus,
        notices.map(({ code, severity }: { code: string; severity: string }) => [code, severity]),
      ];
    };
    expect(await standing()).toEqual(['active', 'suspended', [['APP_SUSPENDED', 'warning']]]);
    const own = await marketplace.get(developer, '/developer/apps');
    expect(own.body.data[0]?.versions[0]).toMatchObject({ versionStatus: 'suspended', verdict: 'It loses data.' });

    const reinstated = { publishedVersion: '1.0.0', suspendedVersion: null };
    expect(await decide(key, 'reinstate', 'Fixed.')).toMatchObject(reinstated);
    expect(await listed(key)).toBe(true);
    expect(await standing()).toEqual(['active', 'published', []]);
    expect((await marketplace.install(other, key)).status).toBe(201);
    // Once for the workspace that had it.
    const statuses = await marketplace.query(
      `SELECT tenant_id AS tenant, envelope->'data'->>'appStatus' AS status FROM outbox
        WHERE name = 'app.status_changed' AND envelope->'data'->>'appKey' = '${key}' ORDER BY seq`,
    );
    expect(statuses).toEqual(['suspended', 'published'].map((status) => ({ tenant: tenant.tenantId, status })));
  });

  it('is replaced by a later version, and then not reinstated', async () => {
    const key = await published();
    await decide(key, 'suspend');
    await publishNext(key, { version: '1.0.1' });
    expect(await listed(key)).toBe(true);
    await waitUntil(async () => told(key).at(-1) === 'active', { timeoutMs: 10_000, describe: 'identity is told' });
    await refusedWith('SUBMISSION_STATE', decide(key, 'reinstate'));
  });

  it('is not brought back by an older version', async () => {
    const { id: older, key } = await submitted();
    await publishNext(key, { version: '1.1.0' });
    await decide(key, 'suspend');
    await refusedWith('SUBMISSION_STATE', marketplace.decide(older, 'publish', 'The warnings are known.'));
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
    await publishNext(key, { version: '1.0.1' });
    const { id: later } = await submitted(key, { version: '1.0.2' });
    const revoked = { publishedVersion: null, suspendedVersion: null, revoked: true };
    expect(await decide(key, 'revoke', 'It steals data.')).toMatchObject({ ...revoked, impact: { installations: 1 } });
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
    await refusedWith('SUBMISSION_STATE', marketplace.decide(later, 'publish', 'It is honest now.'));
    expect(await decisions().measure(theOperator, key)).toMatchObject({ publishedVersion: null, revoked: true });
  });

  it('may have been suspended before, and identity is told both', async () => {
    const key = await published();
    await decide(key, 'suspend');
    expect(await decide(key, 'revoke')).toMatchObject({ suspendedVersion: null, revoked: true });
    await refusedWith('SUBMISSION_STATE', decide(key, 'reinstate'));
    await sweep();
    expect(told(key)).toEqual(['suspended', 'revoked']);
  });
});

describe('an unlisted app', () => {
  const unlisted = async () => {
    const key = await published();
    expect(await decide(key, 'unlist', 'It copies another app.')).toMatchObject({ visibility: 'unlisted' });
    return key;
  };

  it('is installed by those who know its key, also after a suspension', async () => {
    const key = await unlisted();
    expect(await listed(key)).toBe(false);
    expect((await marketplace.install(tenant, key)).status).toBe(201);
    await refusedWith('SUBMISSION_STATE', decide(key, 'unlist'));
    await decide(key, 'suspend');
    expect(await decide(key, 'reinstate')).toMatchObject({ visibility: 'unlisted' });
  });

  it('stays unlisted when its next version is published, which its reviewer is told', async () => {
    const key = await unlisted();
    const { id } = await submitted(key, { version: '1.0.1' });
    const queue = marketplace.service.get(QueueService);
    expect(await queue.get(theOperator, id)).toMatchObject({ unlistedByOperator: true });
    await marketplace.decide(id, 'publish', 'It is still a copy.');
    expect(await listed(key)).toBe(false);
    const state = { publishedVersion: '1.0.1', visibility: 'unlisted', unlistedByOperator: true };
    expect(await decisions().measure(theOperator, key)).toMatchObject(state);
  });

  it('becomes private when its publisher says so', async () => {
    const key = await unlisted();
    await publishNext(key, { version: '1.0.1', listing: { ...fieldService(key).listing, visibility: 'private' } });
    expect(await decisions().measure(theOperator, key)).toMatchObject({ visibility: 'private' });
  });
});

describe('a decision that is refused', () => {
  it('changes nothing: without a reason, on an app that is not published, by someone who may not decide', async () => {
    const key = await published();
    await refusedWith('VALIDATION_FAILED', decide(key, 'suspend', ' \n '));
    await refusedWith('SUBMISSION_STATE', decide(key, 'reinstate'));
    await refusedWith('NOT_FOUND', decide(newKey(), 'suspend'));
    const linked = { ...theAdministrator, linkedTenantId: developer.tenantId };
    for (const decision of ['suspend', 'reinstate', 'revoke', 'unlist'] as const) {
      await refusedWith('OWN_SUBMISSION', decide(key, decision, 'x', linked));
    }
    const user = { ...theAdministrator, kind: 'user' as const, tenantId: developer.tenantId };
    await refusedWith('FORBIDDEN', decide(key, 'suspend', 'x', user), decisions().measure(user, key));
    const state = { publishedVersion: '1.0.0', visibility: 'public' };
    expect(await decisions().measure(theOperator, key)).toMatchObject(state);
    expect(told(key)).toEqual([]);
    expect(await untold()).not.toContain(key);
  });

  it('is in no trail and told to nobody, and one that several make at the same moment is told once', async () => {
    const { id, key } = await submitted();
    await refusedWith('SUBMISSION_STATE', decide(key, 'revoke'));
    await refusedWith('VALIDATION_FAILED', marketplace.decide(id, 'reject'));
    const linked = { ...theOperator, linkedTenantId: developer.tenantId };
    await refusedWith('OWN_SUBMISSION', marketplace.decide(id, 'publish', 'x', linked));
    expect([await trail({ subjectId: id }), await events()]).toEqual([[], []]);
    await Promise.allSettled(
      Array.from({ length: 5 }, (_, index) => marketplace.decide(id, 'reject', `Reason ${index}`)),
    );
    expect(await events()).toHaveLength(1);
  });
});

describe('the publisher of an app', () => {
  it('is told each decision on a submission with its reason, and not who reviews or when', async () => {
    const { id, key } = await submitted();
    for (const decision of ['claim', 'release', 'claim', 'approve'] as const) await marketplace.decide(id, decision);
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

  it('alone is told, of requested changes and of a rejection too, and no operator is named in it', async () => {
    const { id } = await submitted();
    await marketplace.decide(id, 'request-changes', 'Explain the demo.');
    await marketplace.decide(id, 'reject', 'No answer.');
    expect(await events()).toMatchObject([
      { decision: 'changes_requested', reason: 'Explain the demo.' },
      { decision: 'rejected', reason: 'No answer.' },
    ]);
    const envelopes = await marketplace.query<{ tenant: string; envelope: Record<string, unknown> }>(
      `SELECT tenant_id AS tenant, envelope FROM outbox WHERE name = $1 AND envelope ->> 'subject' = $2`,
      [EVENT, id],
    );
    expect(envelopes).toHaveLength(2);
    for (const { tenant, envelope } of envelopes) {
      expect(tenant).toBe(developer.tenantId);
      expect(envelope).toMatchObject({ tenantid: developer.tenantId, actorkind: 'operator' });
      expect(JSON.stringify(envelope)).not.toContain(theOperator.userId);
      expect(envelope).not.toHaveProperty('appkeys');
    }
  });

  it('is told once of what operators decide about the app, however many of its versions that moves', async () => {
    const key = await published();
    const { id: second } = await submitted(key, { version: '1.1.0' });
    await marketplace.decide(second, 'publish', 'Fine.');
    await submitted(key, { version: '1.2.0' });
    const made = [
      ['unlist', 'unlisted', 'It is for few.'],
      ['suspend', 'suspended', 'It loses data.'],
      ['reinstate', 'reinstated', 'Repaired.'],
      ['suspend', 'suspended', 'It loses data.'],
      ['revoke', 'revoked', 'It steals data.'],
    ] as const;
    for (const [decision, , reason] of made) await decide(key, decision, reason);
    const about = { submissionId: second, version: '1.1.0' };
    expect((await events()).slice(2)).toMatchObject(
      made.map(([, decision, reason]) => ({ ...about, decision, reason })),
    );
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
});
