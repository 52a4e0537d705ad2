import { describe, expect, it } from '@jest/globals';
import { REVIEW_DECISIONS } from '../src/catalogue/version-state.js';
import { type Fixture, useMarketplace } from './support/fixture.js';
import { fieldService, newKey } from './support/packages.js';

let { marketplace, developer } = {} as Fixture;
useMarketplace((fixture) => {
  ({ marketplace, developer } = fixture);
});

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
    expect((await marketplace.request(developer, 'GET', `/apps/${key}`)).status).toBe(200);
  });

  it('refuse every decision of an operator who is linked to the workspace of the publisher', async () => {
    const { body } = await marketplace.submit(developer, fieldService(newKey()));
    const linked = await marketplace.sign({
      aud: 'platform-admin',
      roles: ['administrator'],
      linked_tid: developer.tenantId,
    });
    for (const decision of REVIEW_DECISIONS) {
      const refused = await decide(body.submissionId, decision, 'mine', linked);
      expect([refused.status, refused.body.code]).toEqual([403, 'OWN_SUBMISSION']);
    }
    expect((await listed(linked)).find(({ id }) => id === body.submissionId)?.claimedBy).toBeNull();
  });

  it('are refused with a token of a workspace, and without a token', async () => {
    const { body } = await marketplace.submit(developer, fieldService(newKey()));
    for (const token of [developer.token, undefined]) {
      const { status, body: problem } = await decide(body.submissionId, 'publish', 'mine', token);
      expect([status, problem.code]).toEqual([401, 'UNAUTHENTICATED']);
    }
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
    const refused = await marketplace.service.requestOfOperator<{ code: string }>(method, path, {
      token,
      ...(body && { body }),
    });
    expect([refused.status, refused.body.code]).toEqual([status, code]);
  });

  it('take a decision without a body', async () => {
    const { body } = await marketplace.submit(developer, fieldService(newKey()));
    const token = await marketplace.sign({ aud: 'platform-admin', roles: ['reviewer'] });
    const path = `/api/admin/submissions/${body.submissionId}/claim`;
    expect((await marketplace.service.requestOfOperator('POST', path, { token })).status).toBe(200);
  });
});
