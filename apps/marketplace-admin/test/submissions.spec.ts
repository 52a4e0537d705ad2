import { randomUUID } from 'node:crypto';
import { PlatformError, rpc, type SubmissionView } from '@crm/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { OperatorsApi } from './operators-api.js';

let api: OperatorsApi;
beforeAll(async () => {
  api = await OperatorsApi.start();
});
afterEach(() => api.standAlone());
afterAll(() => api?.close());

const submission = (changes: Partial<SubmissionView> = {}): SubmissionView => ({
  id: randomUUID(),
  appKey: 'fleet',
  version: '1.0.0',
  versionStatus: 'in_review',
  publisher: { tenantId: randomUUID(), name: 'Acme' },
  submittedAt: new Date().toISOString(),
  claimedBy: null,
  verdict: null,
  certification: { verdict: 'pass' },
  ...changes,
});

describe('submissions', () => {
  const page = { page: 1, size: 200, total: 1, totalIsExact: true, hasMore: false, nextCursor: null };

  it('are listed as the query filters and sorts them', async () => {
    const found = submission();
    const seen: unknown[] = [];
    await api.stand(rpc.marketplace.listSubmissions, (query) => {
      seen.push(query);
      return { data: [found], ...page };
    });
    const { status, body } = await api.request('GET', '/api/admin/submissions?status=in_review');
    expect([status, body]).toEqual([200, { data: [found], ...page }]);
    expect((await api.request('GET', '/api/admin/submissions')).status).toBe(200);
    const publisherId = randomUUID();
    const filter = `appKey=fleet&publisherId=${publisherId}&q=Acme&claim=none&sort=fair&size=5&submittedBefore=2026-01-01T00:00:00Z`;
    expect((await api.request('GET', `/api/admin/submissions?${filter}`)).status).toBe(200);
    expect(seen).toEqual([
      { status: 'in_review' },
      {},
      {
        appKey: 'fleet',
        publisherId,
        text: 'Acme',
        claim: 'none',
        sort: 'fair',
        size: 5,
        submittedBefore: '2026-01-01T00:00:00Z',
      },
    ]);
    for (const wrong of [
      'status=lost',
      'sort=name',
      'claim=me',
      'publisherId=x',
      'size=201',
      'submittedBefore=today',
    ]) {
      expect((await api.request('GET', `/api/admin/submissions?${wrong}`)).body.code).toBe('INVALID_QUERY');
    }
  });

  it('are shown with their documents, however many messages those take', async () => {
    const found = submission({ certification: {} });
    const manifest = { key: 'fleet', name: 'x'.repeat(2_000) };
    const documents = { manifest, reviewPacket: { demoVideo: 'https://a.example' }, certification: { passed: true } };
    const difference = {
      against: { submissionId: randomUUID(), version: '0.9.0', versionStatus: 'published' as const },
      entries: [{ path: '/permissions/agent', kind: 'added', attention: 'access', after: { scope: 'agent' } }],
      counts: { access: 1, loss: 0, behaviour: 0, text: 0 },
      complete: true,
    };
    const about = { name: 'Fleet', kind: 'industry_app', manifestSha256: 'abc', difference, history: [] };
    await api.stand(rpc.marketplace.getSubmission, () => ({ submission: found, ...about }));
    await api.stand(rpc.marketplace.readSubmissionDocument, ({ document, offset }) => {
      const text = JSON.stringify(documents[document]);
      const end = offset + 700;
      return { text: text.slice(offset, end), nextOffset: end < text.length ? end : null };
    });
    const { status, body } = await api.request('GET', `/api/admin/submissions/${found.id}`, undefined, api.reviewer);
    expect([status, body]).toEqual([200, { ...found, ...about, ...documents }]);
  });

  it.each(['claim', 'release', 'request-changes', 'reject', 'approve', 'publish'])(
    'accept the decision %s',
    async (decision) => {
      const decided = submission();
      const seen: unknown[] = [];
      await api.stand(rpc.marketplace.decideSubmission, (call) => {
        seen.push(call);
        return decided;
      });
      const path = `/api/admin/submissions/${decided.id}/${decision}`;
      const { status, body } = await api.request('POST', path, { reason: 'because' });
      expect([status, body]).toEqual([200, decided]);
      expect((await api.request('POST', path)).status).toBe(200);
      expect(seen).toEqual([
        { submissionId: decided.id, decision, reason: 'because' },
        { submissionId: decided.id, decision },
      ]);
    },
  );

  it('pass on why marketplace-certification refuses a decision', async () => {
    await api.stand(rpc.marketplace.decideSubmission, () => {
      throw new PlatformError('SUBMISSION_STATE', 'It is published already');
    });
    const { status, body } = await api.request('POST', `/api/admin/submissions/${randomUUID()}/publish`, {});
    expect([status, body.code, body.detail]).toEqual([409, 'SUBMISSION_STATE', 'It is published already']);
  });

  it.each(['/api/admin/submissions/nonsense/publish', `/api/admin/submissions/${randomUUID()}/celebrate`])(
    'are not found at %s',
    async (path) => {
      expect((await api.request('POST', path, {})).status).toBe(404);
    },
  );
});
