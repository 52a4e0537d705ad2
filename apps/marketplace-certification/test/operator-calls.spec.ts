import type { OperatorAuditEntry, OperatorAuditPage } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { REVIEW_DECISIONS } from '../src/catalogue/version-state.js';
import { developer, marketplace, useMarketplace } from './support/fixture.js';
import { refused, refusedWith, theOperator } from './support/marketplace.js';
import { fieldService, newKey } from './support/packages.js';

useMarketplace();

const QUEUE = '/api/admin/submissions?status=in_review';
const listed = async (token: string) => {
  const { body } = await marketplace.service.requestOfOperator('GET', QUEUE, { token });
  return (body as { data: { id: string; claimedBy: string | null }[] }).data;
};
const decide = (id: string, decision: string, reason: string, token?: string) =>
  marketplace.service.requestOfOperator<{ code: string }>('POST', `/api/admin/submissions/${id}/${decision}`, {
    body: { reason },
    ...(token !== undefined && { token }),
  });

describe('the calls of marketplace-admin', () => {
  it('list and decide submissions with the token of an operator', async () => {
    const key = newKey();
    const { body } = await marketplace.submit(developer, fieldService(key));
    const token = await marketplace.sign({ aud: 'platform-admin', roles: ['reviewer'] });
    expect((await listed(token)).map(({ id }) => id)).toContain(body.submissionId);
    const decided = await decide(body.submissionId, 'publish', 'Looks good.', token);
    expect(decided.body).toMatchObject({ versionStatus: 'published', verdict: 'Looks good.' });
    expect((await marketplace.get(developer, `/apps/${key}`)).status).toBe(200);
  });

  it('refuse every decision of an operator who is linked to the workspace of the publisher', async () => {
    const { body } = await marketplace.submit(developer, fieldService(newKey()));
    const linked = await marketplace.sign({
      aud: 'platform-admin',
      roles: ['administrator'],
      linked_tid: developer.tenantId,
    });
    for (const decision of REVIEW_DECISIONS) {
      await refused(decide(body.submissionId, decision, 'mine', linked), 403, 'OWN_SUBMISSION');
    }
    expect((await listed(linked)).find(({ id }) => id === body.submissionId)?.claimedBy).toBeNull();
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
    const token = await marketplace.sign({ aud: 'platform-admin', roles: ['administrator'] });
    await refused(
      marketplace.service.requestOfOperator<{ code: string }>(method, path, {
        token,
        ...(body && { body }),
      }),
      status,
      code,
    );
  });

  it('take a decision without a body', async () => {
    const { body } = await marketplace.submit(developer, fieldService(newKey()));
    const token = await marketplace.sign({ aud: 'platform-admin', roles: ['reviewer'] });
    const path = `/api/admin/submissions/${body.submissionId}/claim`;
    expect((await marketplace.service.requestOfOperator('POST', path, { token })).status).toBe(200);
  });
});

const tokenOf = (role: string, more: object = {}) =>
  marketplace.sign({ aud: 'platform-admin', sub: theOperator.userId, roles: [role], ...more });
const call = (method: string, path: string, token?: string, body?: object) =>
  marketplace.service.requestOfOperator<OperatorAuditPage & { code: string }>(method, path, {
    ...(token !== undefined && { token }),
    ...(body && { body }),
  });
const page = (query: object, token?: string) => call('GET', `/audit?${new URLSearchParams({ ...query })}`, token);
async function trail(query: object): Promise<OperatorAuditEntry[]> {
  return (await page({ size: '100', ...query }, await tokenOf('administrator'))).body.data;
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
    await refusedWith('OWN_SUBMISSION', marketplace.decide(id, 'publish', 'x', linked));
    await refusedWith('VALIDATION_FAILED', marketplace.decide(id, 'reject'));
    expect(await trail({ subjectId: id })).toEqual([]);
  });

  it('is searched by operator, act, subject, text and time, and goes on by the last entry', async () => {
    const { id } = await submitted();
    const from = new Date().toISOString();
    await marketplace.decide(id, 'claim');
    await marketplace.decide(id, 'release');
    await marketplace.decide(id, 'reject', `Zebra ${id}`);
    expect(await trail({ q: `ZEBRA ${id}` })).toHaveLength(1);
    expect((await trail({ act: 'submission.release', subjectId: id })).map(({ act }) => act)).toEqual([
      'submission.release',
    ]);
    expect(await trail({ operatorId: developer.userId, subjectId: id })).toEqual([]);
    expect(await trail({ subjectId: id, from })).toHaveLength(3);
    expect(await trail({ subjectId: id, to: from })).toEqual([]);
    const token = await tokenOf('administrator');
    const list = async (query: object) => (await page({ subjectId: id, size: '2', ...query }, token)).body;
    const first = await list({});
    expect([first.data.length, first.more]).toEqual([2, true]);
    const second = await list({ beforeId: first.data[1]?.id });
    expect([second.data.map(({ act }) => act), second.more]).toEqual([['submission.claim'], false]);
  });

  it('is for administrators: not for reviewers, not for users of a workspace', async () => {
    for (const [token, status, code] of [
      [await tokenOf('reviewer'), 403, 'FORBIDDEN'],
      [developer.token, 401, 'UNAUTHENTICATED'],
      [undefined, 401, 'UNAUTHENTICATED'],
    ] as const) {
      await refused(page({ size: '1' }, token), status, code);
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

describe('the calls about apps', () => {
  it('let reviewers see the impact, and administrators decide', async () => {
    const key = await marketplace.published(developer);
    const reviewer = await tokenOf('reviewer');
    const impact = await call('GET', `/api/admin/apps/${key}/impact`, reviewer);
    expect(impact.body).toMatchObject({ impact: { installations: 0 } });
    const suspend = (token: string) =>
      call('POST', `/api/admin/apps/${key}/suspend`, token, { reason: 'It loses data.' });
    for (const [token, code] of [
      [reviewer, 'FORBIDDEN'],
      [developer.token, 'UNAUTHENTICATED'],
      [await tokenOf('administrator', { linked_tid: developer.tenantId }), 'OWN_SUBMISSION'],
    ] as const) {
      expect((await suspend(token)).body.code).toBe(code);
    }
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
