import { randomUUID } from 'node:crypto';
import { OPERATORS_PREFIX, type OperatorAuditEntry } from '@crm/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditListView } from '../src/audit/audit.dto.js';
import { OperatorsApi, type Received } from './operators-api.js';

let api: OperatorsApi;

const ada = {
  id: randomUUID(),
  email: 'ada@platform.test',
  name: 'Ada',
  role: 'administrator' as const,
  status: 'active' as const,
  linkedTenantId: null,
  authenticator: true,
  createdAt: '2026-01-01T00:00:00.000Z',
};

beforeAll(async () => {
  api = await OperatorsApi.start();
});
afterAll(() => api?.close());

const START = Date.UTC(2026, 0, 1);
/** An id whose time is that many minutes after the start. */
const idAt = (minutes: number): string => {
  const digits = (START + minutes * 60_000).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`;
};
const entry = (minutes: number, changes: Partial<OperatorAuditEntry> = {}): OperatorAuditEntry => ({
  id: idAt(minutes),
  operatorId: ada.id,
  role: 'administrator',
  act: 'submission.reject',
  subjectKind: 'submission',
  subjectId: 's1',
  subjectName: 'fleet 1.0.0',
  reason: 'no',
  findings: { failedChecks: [] },
  before: { status: 'in_review' },
  after: { status: 'rejected' },
  ...changes,
});

/** Both trails, each of which answers with at most `most` entries. */
function stand(ofIdentity: OperatorAuditEntry[], ofMarketplace: OperatorAuditEntry[], most = 200) {
  const queries: Record<string, string>[] = [];
  const trails = { identity: ofIdentity, 'marketplace-certification': ofMarketplace };
  api.answer = ({ service, url }: Received) => {
    const { pathname, searchParams } = new URL(url, 'http://here');
    if (pathname === `${OPERATORS_PREFIX}/api/admin/operators`) return { body: { data: [ada] } };
    const query = Object.fromEntries(searchParams);
    queries.push(query);
    const older = trails[service].filter(({ id }) => query.beforeId === undefined || id < query.beforeId);
    const data = older.sort((one, other) => (one.id < other.id ? 1 : -1)).slice(0, Math.min(Number(query.size), most));
    return { body: { data, more: data.length < older.length } };
  };
  return queries;
}
const list = (query = '') =>
  api.service.request<AuditListView & { code: string }>('GET', `/api/admin/audit${query}`, {
    token: api.administrator,
  });
const exported = async (query: string) => {
  const answer = await fetch(`${api.service.url}/api/admin/audit/export${query}`, {
    headers: { authorization: `Bearer ${api.administrator}` },
  });
  return { answer, text: await answer.text() };
};

describe('GET /api/admin/audit', () => {
  it('shows the trails of both services as one, newest first, with who acted', async () => {
    stand([entry(1, { act: 'tenant.set-plan' }), entry(3, { operatorId: null, role: null })], [entry(2)]);
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body).toMatchObject({ size: 25, hasMore: false, nextCursor: null });
    expect(body.data.map(({ at, operatorEmail }) => [at, operatorEmail])).toEqual([
      ['2026-01-01T00:03:00.000Z', null],
      ['2026-01-01T00:02:00.000Z', 'ada@platform.test'],
      ['2026-01-01T00:01:00.000Z', 'ada@platform.test'],
    ]);
  });

  it.each([1, 2, 5])(
    'goes through both by cursor without a gap, when a service answers with %d at most',
    async (most) => {
      const all = Array.from({ length: 30 }, (_, minute) => entry(minute));
      // One trail is busy while the other is quiet, and the other way round.
      const isFirst = ({ id }: OperatorAuditEntry) => id < idAt(10) || (id > idAt(20) && id < idAt(22));
      stand(
        all.filter(isFirst),
        all.filter((one) => !isFirst(one)),
        most,
      );
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const { status, body }: Awaited<ReturnType<typeof list>> = await list(
          `?size=4${cursor ? `&cursor=${cursor}` : ''}`,
        );
        expect(status).toBe(200);
        seen.push(...body.data.map(({ id }) => id));
        cursor = body.nextCursor;
      } while (cursor);
      expect(seen).toEqual(all.map(({ id }) => id).reverse());
    },
  );

  it('passes on the filter, and binds the cursor to it', async () => {
    const queries = stand([entry(1), entry(2)], [entry(3)]);
    const filter = `operatorId=${ada.id.toUpperCase()}&act=submission.reject&subjectKind=submission&subjectId=s1&q=no`;
    const { body } = await list(`?${filter}&from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00%2B01:00&size=1`);
    expect(queries[0]).toEqual({
      size: '1',
      operatorId: ada.id.toUpperCase(),
      act: 'submission.reject',
      subjectKind: 'submission',
      subjectId: 's1',
      q: 'no',
      from: '2026-01-01T00:00:00Z',
      to: '2026-01-02T00:00:00+01:00',
    });
    expect((await list(`?cursor=${body.nextCursor}`)).body.code).toBe('INVALID_QUERY');
    for (const wrong of ['act=publish', 'operatorId=x', 'size=201', 'from=yesterday', 'subjectKind=user']) {
      expect((await list(`?${wrong}`)).body.code).toBe('INVALID_QUERY');
    }
  });

  it('passes on why a part refuses, and asks in the name of the operator', async () => {
    api.received.length = 0;
    api.answer = () => ({ status: 401, body: { code: 'TOKEN_REVOKED', detail: 'It is over' } });
    const { status, body } = await list();
    expect([status, body.code]).toEqual([401, 'TOKEN_REVOKED']);
    expect(api.received.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${api.administrator}`]);
    expect((await api.request('GET', '/api/admin/audit', undefined, api.reviewer)).status).toBe(403);
  });

  it('answers 503 while one of the parts is missing: half a trail would be a wrong one', async () => {
    stand([entry(1)], []);
    const { answer } = api;
    api.answer = (request) => (request.service === 'identity' ? answer(request) : undefined);
    expect((await list()).status).toBe(503);
    expect((await exported('')).answer.status).toBe(503);
  });
});

describe('GET /api/admin/audit/export', () => {
  it('has every entry, a line each', async () => {
    const all = Array.from({ length: 450 }, (_, minute) => entry(minute));
    stand(all.slice(0, 300), all.slice(300), 120);
    const { answer, text } = await exported('');
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="operator-audit.ndjson"');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ id }) => id)).toEqual(all.map(({ id }) => id).reverse());
    expect(lines[0]).toMatchObject({ operatorEmail: 'ada@platform.test', findings: { failedChecks: [] } });
  });

  it('gives spreadsheets texts, never formulas', async () => {
    const reasons = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '\n=1', '\uff1d1', 'a "quoted", text', 'fine'];
    stand(
      reasons.map((reason, minute) => entry(minute, { reason, subjectName: '=HYPERLINK("https://a")' })),
      [],
    );
    const { answer, text } = await exported('?format=csv');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="operator-audit.csv"');
    expect(text.startsWith('"id","at","operatorId","operatorEmail","role","act",')).toBe(true);
    for (const reason of reasons.slice(0, 8)) expect(text).toContain(`"'${reason}"`);
    expect(text).toContain('"a ""quoted"", text"');
    expect(text).toContain('"fine"');
    expect(text).toContain(`"'=HYPERLINK(""https://a"")"`);
    expect(text).not.toMatch(/(^|,)"[=+\-@]/m);
  });

  it('breaks off when a part fails on the way, so that nobody takes it for complete', async () => {
    let calls = 0;
    stand([], [entry(2), entry(1)], 1);
    const { answer } = api;
    api.answer = (request) => {
      if (request.service === 'marketplace-certification') calls += 1;
      return calls > 1 ? { status: 503, body: { code: 'SERVICE_UNAVAILABLE' } } : answer(request);
    };
    await expect(exported('')).rejects.toThrow();
    expect((await exported('?format=xlsx')).answer.status).toBe(400);
  });
});
