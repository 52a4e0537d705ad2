import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { OPERATORS_PREFIX, type OperatorAuditEntry } from '@crm/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AuditListView } from '../src/audit/audit.dto.js';
import { CREDENTIAL_CALLS_PER_MINUTE } from '../src/forwarding/operators-proxy.service.js';
import { ROUTES } from '../src/forwarding/routes.js';
import { OperatorsApi, type Received, tokens } from './operators-api.js';

let api: OperatorsApi;
beforeAll(async () => {
  api = await OperatorsApi.start();
});
beforeEach(() => {
  api.received.length = 0;
  api.answer = ({ service }) => ({ status: 203, headers: { 'x-device-token': 'a' }, body: { service } });
});
afterAll(() => api?.close());

type Served = { method: string; path: string; public: boolean }[];
const served = async () => (await (await fetch(`${api.service.operationsUrl}/routes`)).json()) as Served;
const hasBody = (method: string) => method !== 'GET' && method !== 'DELETE';
const routes = ROUTES.map((route) => [route.method, route.path, route] as const);

describe.each(routes)('%s %s', (method, template, { upstream, public: isPublic }) => {
  const path = template.replace(/:\w+/g, 'x-1');
  const body = hasBody(method) ? { reason: 'ä' } : undefined;

  it('is forwarded below the internal prefix, with what the client sent', async () => {
    const passed = { 'x-device-token': 'b', 'user-agent': 'Firefox' };
    const answer = await api.service.request(method, `${path}?q=%20`, {
      ...(!isPublic && { token: api.reviewer }),
      body,
      headers: { ...passed, 'x-forwarded-for': '203.0.113.1', 'x-user-id': 'root' },
    });
    expect([answer.status, answer.body]).toEqual([203, { service: upstream }]);
    expect(answer.headers.get('x-device-token')).toBe('a');
    const [received] = api.received;
    expect(received).toMatchObject({
      service: upstream,
      method,
      url: `${OPERATORS_PREFIX}${path}?q=%20`,
      body: body === undefined ? '' : JSON.stringify(body),
      headers: {
        ...passed,
        // Nobody stands in front of this address that could say where a client is.
        'x-forwarded-for': '127.0.0.1',
        'x-request-id': answer.headers.get('x-request-id'),
      },
    });
    expect(received?.headers['x-user-id']).toBeUndefined();
    expect(received?.headers.authorization).toBe(isPublic ? undefined : `Bearer ${api.reviewer}`);
  });

  it('is not asked of a service without a token of an operator', async () => {
    const ofUser = await tokens.sign({ roles: ['owner'] });
    for (const token of isPublic ? [] : [undefined, ofUser, 'nonsense']) {
      const { status, headers } = await api.service.request(method, path, { ...(token && { token }), body });
      expect([status, headers.get('www-authenticate')?.includes('Bearer')]).toEqual([401, true]);
    }
    expect(api.received).toEqual([]);
  });

  it('is answered with 503 while the service does not answer', async () => {
    api.answer = () => undefined;
    const { status, headers } = await api.request(method, path, body);
    expect([status, Number(headers.get('retry-after')) > 0]).toEqual([503, true]);
  });
});

describe('what is no route', () => {
  it.each([
    ['GET', '/api/auth/api-keys'],
    ['POST', '/api/auth/register'],
    ['GET', '/audit'],
    ['GET', `${OPERATORS_PREFIX}/audit`],
    ['GET', `${OPERATORS_PREFIX}/api/auth/me`],
    ['GET', `${OPERATORS_PREFIX}/api/openapi.json`],
  ])('is not found: %s %s', async (method, path) => {
    const { status, body } = await api.request(method, path);
    expect([status, body.code, body.instance]).toEqual([404, 'NOT_FOUND', path]);
    expect(api.received).toEqual([]);
  });

  it.each([
    ['GET', '/api/auth/login', 'POST'],
    ['POST', '/api/auth/me', 'GET, HEAD'],
    ['PUT', '/api/admin/tenants/x-1', 'PATCH'],
    ['OPTIONS', '/api/admin/audit', 'GET, HEAD'],
  ])('is no method of its path: %s %s', async (method, path, allow) => {
    for (const body of [undefined, { x: 'x'.repeat(20_000) }]) {
      const answer = await api.request(method, path, method === 'GET' ? undefined : body);
      expect([answer.status, answer.body.code, answer.headers.get('allow')]).toEqual([
        405,
        'METHOD_NOT_ALLOWED',
        allow,
      ]);
    }
    expect(api.received).toEqual([]);
  });

  it.each([
    ['/api/admin/audit?x=%00', 'INVALID_QUERY'],
    ['/api/admin/submissions/%00', 'MALFORMED_REQUEST'],
    ['/api/admin/submissions/%', 'MALFORMED_REQUEST'],
  ])('is a problem like any other: GET %s', async (path, code) => {
    const { status, headers, body } = await api.request('GET', path);
    expect([status, body.code, headers.get('content-type')]).toEqual([400, code, 'application/problem+json']);
    expect(api.received).toEqual([]);
  });

  it('is decided as the service decides it, which gets the same bytes', async () => {
    const path = '/api/admin/apps/a%2fb%20%61/impact';
    expect((await api.request('GET', path)).status).toBe(203);
    expect(api.received.map(({ url }) => url)).toEqual([OPERATORS_PREFIX + path]);
  });
});

describe('calls that exchange credentials', () => {
  it.each(ROUTES.filter((route) => route.public).map(({ path }) => path))('have a short body: %s', async (path) => {
    const { status, body } = await api.request('POST', path, { x: 'x'.repeat(16 * 1024) });
    expect([status, body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('are limited by address in production, of IPv6 by /64, before anything is asked of identity', async () => {
    const limited = await OperatorsApi.start({ profile: 'production', trustedProxies: ['127.0.0.1'] });
    try {
      limited.answer = () => ({ status: 409, body: {} });
      let callers = 0;
      const post = async (path: string, body?: object, network = '2001:db8:1:2') => {
        callers += 1;
        const headers = { 'x-forwarded-for': `192.0.2.66, ${network}::${callers.toString(16)}` };
        return (await limited.service.request('POST', `/api/auth/${path}`, { body, headers })).status;
      };
      const startedAt = performance.now();
      const statuses = await Promise.all(
        Array.from({ length: CREDENTIAL_CALLS_PER_MINUTE }, (_, index) => [
          post('refresh', { refreshToken: `guess-${index}` }),
          post('login/passkey/options'),
          post('login/passkey', { challengeId: 'c', credential: {} }),
        ]).flat(),
      );
      const minutes = (performance.now() - startedAt) / 60_000;
      const asked = limited.received.length;
      expect(new Set(statuses)).toEqual(new Set([409, 429]));
      expect(asked).toBe(statuses.filter((status) => status === 409).length);
      // The three share one limit, and the use of a call comes back with time.
      expect(asked).toBeGreaterThanOrEqual(CREDENTIAL_CALLS_PER_MINUTE);
      expect(asked).toBeLessThanOrEqual(Math.ceil(CREDENTIAL_CALLS_PER_MINUTE * (1 + minutes)));
      expect(await post('login/passkey/options', undefined, '2001:db8:1:3')).toBe(409);
      // What the proxy says of its client, and nothing that the client says of itself.
      expect(limited.received.at(-1)?.headers['x-forwarded-for']).toBe(`2001:db8:1:3::${callers.toString(16)}`);
      // Nobody is spared, this machine neither.
      const local = () =>
        limited.service.request('POST', '/api/auth/refresh', { body: {}, headers: { 'x-forwarded-for': '::1' } });
      const ofLocal = await Promise.all(Array.from({ length: 2 * CREDENTIAL_CALLS_PER_MINUTE }, local));
      expect(ofLocal.map(({ status }) => status)).toContain(429);
    } finally {
      await limited.close();
    }
  });
});

describe('the API of this address', () => {
  it('is documented as one, also as a page, and lists the forwarded routes', async () => {
    const path = '/api/admin/submissions';
    api.answer = ({ service, url }) => ({
      body: {
        paths: {
          [service === 'identity' ? '/api/auth/me' : path]: { get: { tags: [service], at: url } },
          '/api/never/forwarded': { get: {} },
        },
      },
    });
    type Document = { info: { title: string }; servers: object[]; paths: Record<string, { get: { at?: string } }> };
    const { body } = await api.service.request<Document>('GET', '/api/openapi.json');
    expect([body.info.title, body.servers]).toEqual(['CRM developer platform: marketplace-admin', [{ url: '/' }]]);
    expect(Object.keys(body.paths)).toEqual(['/api/admin/audit', '/api/admin/audit/export', path, '/api/auth/me']);
    expect(body.paths[path]?.get.at).toBe(`${OPERATORS_PREFIX}/api/openapi.json`);
    const { status, headers } = await api.service.request('GET', '/api/docs');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const paths = (await served()).map((route) => route.path);
    expect(paths).toEqual(expect.arrayContaining(ROUTES.map((route) => route.path)));
  });
});

const MEBIBYTE = 1024 * 1024;
const agent = new Agent({ keepAlive: true });

const open = (method: string, path: string, headers: OutgoingHttpHeaders = {}) =>
  request(new URL(path, api.service.url), {
    agent,
    method,
    headers: { 'content-type': 'application/json', ...headers },
  });

/** Announces a body and sends none of it. @returns the answer, which came without it */
async function announce(method: string, path: string, headers: OutgoingHttpHeaders) {
  const call = open(method, path, headers);
  call.flushHeaders();
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  let text = '';
  for await (const piece of answer) text += piece;
  call.destroy();
  const { code } = JSON.parse(text) as { code: string };
  return { status: answer.statusCode, connection: answer.headers.connection, code };
}

describe('a body without a token that counts', () => {
  afterAll(() => agent.destroy());

  it('is not read, by any route', async () => {
    const listed = (await served()).filter((route) => !route.public && /^(POST|PUT|PATCH|DELETE)$/.test(route.method));
    expect(listed.length).toBeGreaterThan(10);
    for (const { method, path } of listed) {
      for (const length of [{ 'content-length': MEBIBYTE }, { 'transfer-encoding': 'chunked' }]) {
        expect([method, path, await announce(method, path, length)]).toEqual([
          method,
          path,
          { status: 401, connection: 'close', code: 'UNAUTHENTICATED' },
        ]);
      }
    }
  });

  it('is not read with a token that is none, or of another audience', async () => {
    for (const token of ['x', await tokens.sign({ roles: ['owner'] })]) {
      const headers = { 'content-length': MEBIBYTE, authorization: `Bearer ${token}` };
      const { status, connection } = await announce('PATCH', '/api/admin/tenants/x', headers);
      expect([status, connection]).toEqual([401, 'close']);
    }
  });

  it('is not read where there is no route', async () => {
    const answer = await announce('POST', '/api/admin/nothing', { 'content-length': MEBIBYTE });
    expect(answer).toEqual({ status: 404, connection: 'close', code: 'NOT_FOUND' });
  });

  it('costs a short one no connection', async () => {
    const short = open('POST', '/api/admin/apps/fleet/suspend');
    short.end('{"reason":"x"}');
    const [answer] = (await once(short, 'response')) as [IncomingMessage];
    answer.resume();
    expect([answer.statusCode, answer.headers.connection]).toEqual([401, 'keep-alive']);
  });

  it('is read with a token that counts', async () => {
    api.answer = () => ({ status: 404, body: {} });
    const post = (reason: string) => api.request('POST', '/api/admin/apps/fleet/suspend', { reason });
    expect((await post('x'.repeat(2000))).status).toBe(404);
    expect(api.received).toHaveLength(1);
    const refused = await post('x'.repeat(MEBIBYTE));
    expect([refused.status, refused.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(api.received).toHaveLength(1);
  });
});

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
    const filter = {
      operatorId: ada.id.toUpperCase(),
      act: 'submission.reject',
      subjectKind: 'submission',
      subjectId: 's1',
      q: 'no',
      from: '2026-01-01T00:00:00Z',
      to: '2026-01-02T00:00:00+01:00',
      size: '1',
    };
    const { body } = await list(`?${new URLSearchParams(filter)}`);
    expect(queries[0]).toEqual(filter);
    expect((await list(`?cursor=${body.nextCursor}`)).body.code).toBe('INVALID_QUERY');
    for (const wrong of ['act=publish', 'operatorId=x', 'size=201', 'from=yesterday', 'subjectKind=user']) {
      expect((await list(`?${wrong}`)).body.code).toBe('INVALID_QUERY');
    }
  });

  it('passes on why a part refuses, and asks in the name of the operator', async () => {
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
