import { randomUUID } from 'node:crypto';
import { type AppDelivery, rpc } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { type Fixture, useMarketplace } from './support/fixture.js';
import { type Body, refusal } from './support/marketplace.js';
import { fieldService, newKey, reviewPacket } from './support/packages.js';

let { marketplace, neighbours, developer } = {} as Fixture;
useMarketplace((fixture) => {
  ({ marketplace, neighbours, developer } = fixture);
});

const failing = ({ checks }: Body['certification']) =>
  checks.filter(({ severity, status }) => severity === 'blocker' && status === 'fail').map(({ id }) => id);

describe('certifying without submitting', () => {
  it('checks a package and stores nothing under its key', async () => {
    const key = newKey();
    const { status, body } = await marketplace.request(developer, 'POST', '/developer/certifications', {
      manifest: fieldService(key),
    });
    expect(status).toBe(200);
    expect(body.passed).toBe(true);
    expect(body.checks.find(({ id }) => id === 'REV-001')?.status).toBe('skip');
    const apps = await marketplace.request(developer, 'GET', '/developer/apps');
    expect(apps.body).toEqual({ data: [] });
  });

  it('links each check to a page that anybody can read', async () => {
    const { body } = await marketplace.request(developer, 'POST', '/developer/certifications', {
      manifest: fieldService(newKey()),
    });
    for (const { id, docUrl } of body.checks) {
      const page = await fetch(`${marketplace.service.url}${docUrl}`);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(await page.text()).toContain(`<h1>${id} `);
    }
    expect(await (await fetch(`${marketplace.service.url}/docs/certification`)).text()).toContain('MAN-001');
    expect((await fetch(`${marketplace.service.url}/docs/certification/MAN-999`)).status).toBe(404);
  });

  it('stores the result for the workspace that requested it', async () => {
    await marketplace.request(developer, 'POST', '/developer/certifications', {
      manifest: { key: 'no key', version: 7 },
    });
    const kept = await marketplace.queryOf(developer, 'select app_key, passed, mode from certification');
    expect(kept).toEqual([{ app_key: null, passed: false, mode: 'certification' }]);
    const other = await marketplace.caller('owner');
    const seen = await marketplace.queryOf(other, 'select 1 from certification');
    expect(seen).toEqual([]);
  });

  it('is for administrators of a workspace', async () => {
    const body = { manifest: fieldService(newKey()) };
    expect((await marketplace.request(undefined, 'POST', '/developer/certifications', body)).status).toBe(401);
    for (const role of ['member', 'viewer']) {
      const caller = await marketplace.caller(role);
      expect(await refusal(marketplace.request(caller, 'POST', '/developer/certifications', body))).toEqual([
        403,
        'FORBIDDEN',
      ]);
    }
    const embed = await marketplace.sign({
      sub: developer.userId,
      tid: developer.tenantId,
      roles: ['admin'],
      embed: true,
      embed_app_id: 'x',
      scopes: ['leads'],
    });
    expect(
      await refusal(marketplace.request({ ...developer, token: embed }, 'POST', '/developer/certifications', body)),
    ).toEqual([403, 'EMBED_TOKEN_REFUSED']);
  });
});

describe('submitting', () => {
  it('puts a package that passes certification into review', async () => {
    const key = newKey();
    const { status, body } = await marketplace.submit(developer, fieldService(key));
    expect(status).toBe(201);
    expect(body).toMatchObject({ accepted: true, versionStatus: 'in_review', appKey: key, version: '1.0.0' });
    expect(body.certification.passed).toBe(true);
    const apps = await marketplace.request(developer, 'GET', '/developer/apps');
    expect(apps.body.data).toEqual([
      {
        key,
        name: 'Field Service',
        kind: 'industry_app',
        versions: [
          {
            version: '1.0.0',
            versionStatus: 'in_review',
            submittedAt: expect.any(String),
            submissionId: body.submissionId,
          },
        ],
      },
    ]);
  });

  const refusals: [string, Record<string, unknown>, string][] = [
    ['an unknown scope', { permissions: ['everything'] }, 'SCP-001'],
    [
      'a webhook to a private address',
      { webhooks: [{ events: ['lead.created'], url: 'https://10.0.0.1/' }] },
      'NET-001',
    ],
    ['an unknown member', { colour: 'red' }, 'MAN-001'],
    ['a key that is none', { key: 'No Key' }, 'MAN-001'],
  ];
  it.each(refusals)('refuses %s with the failing checks', async (_what, changes, check) => {
    const { status, headers, body } = await marketplace.submit(developer, { ...fieldService(newKey()), ...changes });
    expect(status).toBe(422);
    expect(headers.get('content-type')).toContain('application/problem+json');
    expect(body).toMatchObject({
      code: 'CERTIFICATION_FAILED',
      accepted: false,
      versionStatus: 'certification_failed',
    });
    expect(failing(body.certification)).toContain(check);
    expect((await marketplace.request(developer, 'GET', '/developer/apps')).body.data).toEqual([]);
  });

  it('refuses a package without a review packet', async () => {
    const { status, body } = await marketplace.request(developer, 'POST', '/developer/apps/submit', {
      manifest: fieldService(newKey()),
    });
    expect([status, body.accepted, failing(body.certification)]).toEqual([422, false, ['REV-001']]);
  });

  it('refuses a body that is not a submission', async () => {
    for (const body of [{}, { manifest: [] }, { manifest: {}, reviewPacket, extra: 1 }]) {
      const answer = await marketplace.request(developer, 'POST', '/developer/apps/submit', body);
      expect([answer.status, answer.body.code]).toEqual([422, 'VALIDATION_FAILED']);
    }
  });

  it('refuses a body over a megabyte', async () => {
    const manifest = { ...fieldService(newKey()), release: { notes: 'x'.repeat(1_100_000) } };
    const answer = await marketplace.submit(developer, manifest);
    expect([answer.status, answer.body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('refuses texts that cannot be stored, wherever they occur', async () => {
    for (const manifest of [fieldService(newKey(), { name: 'Field \u0000' }), { key: newKey(), '\u0000': 1 }]) {
      expect(await refusal(marketplace.submit(developer, manifest))).toEqual([422, 'VALIDATION_FAILED']);
    }
    const halved = await marketplace.submit(developer, fieldService(newKey(), { name: 'Field \ud800' }));
    expect(halved.status).toBe(422);
  });

  it('stores a package unchanged', async () => {
    const manifest = fieldService(newKey());
    await marketplace.submit(developer, manifest);
    const stored = await marketplace.query<{ manifest: string }>(
      'select manifest::text from app_version where app_key = $1',
      [manifest.key],
    );
    expect(stored[0]?.manifest).toBe(JSON.stringify(manifest));
  });

  it('answers 503 while identity does not return the publisher', async () => {
    neighbours.refuse(rpc.identity.getTenant, 'SERVICE_UNAVAILABLE');
    const { status } = await marketplace.submit(developer, fieldService(newKey()));
    expect(status).toBe(503);
  });
});

describe('keys and versions', () => {
  it('belong to the first publisher', async () => {
    const { key } = await marketplace.submitted(developer);
    const other = await marketplace.caller('owner');
    const { status, body } = await marketplace.submit(other, fieldService(key, { version: '2.0.0' }));
    expect(status).toBe(422);
    expect(failing(body.certification)).toEqual(['MAN-002']);
  });

  it('only increase, even after a version was withdrawn', async () => {
    const { key } = await marketplace.submitted(developer, { version: '1.10.0' });
    await marketplace.request(developer, 'POST', `/developer/apps/${key}/versions/1.10.0/withdraw`);
    for (const version of ['1.9.0', '1.10.0', '1.10.0-rc.1']) {
      const { status, body } = await marketplace.submit(developer, fieldService(key, { version }));
      expect([version, status]).toEqual([version, 422]);
      expect(failing(body.certification)).toEqual(['MAN-003']);
    }
    expect((await marketplace.submit(developer, fieldService(key, { version: '1.11.0' }))).status).toBe(201);
  });

  it('accept one of many simultaneous submissions of a version', async () => {
    const manifest = fieldService(newKey());
    const answers = await Promise.all(Array.from({ length: 6 }, () => marketplace.submit(developer, manifest)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422, 422]);
    for (const { status, body } of answers) {
      if (status === 422) expect(failing(body.certification)).toEqual(['MAN-003']);
    }
  });

  it('give a key to one of many publishers who submit it at once', async () => {
    const key = newKey();
    const publishers = await Promise.all(Array.from({ length: 5 }, () => marketplace.caller('owner')));
    const answers = await Promise.all(publishers.map((one) => marketplace.submit(one, fieldService(key))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422]);
    for (const { status, body } of answers) {
      if (status === 422) expect(failing(body.certification)).toEqual(['MAN-002']);
    }
  });
});

describe('withdrawing', () => {
  it('withdraws a version once', async () => {
    const { key } = await marketplace.submitted(developer);
    const path = `/developer/apps/${key}/versions/1.0.0/withdraw`;
    const first = await marketplace.request(developer, 'POST', path);
    expect([first.status, first.body.versionStatus]).toEqual([200, 'withdrawn']);
    expect(await refusal(marketplace.request(developer, 'POST', path))).toEqual([409, 'SUBMISSION_STATE']);
  });

  it('is refused for a published version', async () => {
    const key = await marketplace.published(developer);
    const { status } = await marketplace.request(developer, 'POST', `/developer/apps/${key}/versions/1.0.0/withdraw`);
    expect(status).toBe(409);
  });

  it('finds no version of another workspace', async () => {
    const { key } = await marketplace.submitted(developer);
    const other = await marketplace.caller('owner');
    for (const path of [`${key}/versions/1.0.0`, `${key}/versions/9.9.9`, 'none/versions/1.0.0', 'a%00b/versions/1']) {
      expect(await refusal(marketplace.request(other, 'POST', `/developer/apps/${path}/withdraw`))).toEqual([
        404,
        'NOT_FOUND',
      ]);
    }
    expect((await marketplace.request(other, 'GET', '/developer/apps')).body.data).toEqual([]);
  });
});

/** NET-001 of a package that calls these hosts. */
async function judged(hosts: readonly string[]) {
  const webhooks = hosts.map((host) => ({ events: ['lead.created'], url: `https://${host}/` }));
  const manifest = { ...fieldService(newKey()), webhooks };
  const { body } = await marketplace.request(developer, 'POST', '/developer/certifications', { manifest });
  return body.checks.find(({ id }) => id === 'NET-001');
}

describe('the host names of a package', () => {
  const public99 = Array.from({ length: 99 }, (_, i) => `h${i}.example.com`);

  it('are all looked up, up to the number that a package may have', async () => {
    expect(await judged([...public99, 'here.example.com'])).toMatchObject({ status: 'pass' });
    expect(await judged([...public99, 'inside.example.com'])).toMatchObject({
      status: 'fail',
      pointer: '/webhooks/99/url',
      message: 'The host name inside.example.com resolves to an address that is not public.',
    });
  });
});

const delivery = (id = randomUUID()): AppDelivery => ({
  id,
  event: 'lead.created',
  eventId: randomUUID(),
  installationId: randomUUID(),
  url: 'https://hooks.acme.example.com/in',
  status: 'failed',
  attempts: 10,
  lastError: { code: 'http_5xx', message: 'The receiver answered 503', httpStatus: 503 },
  latencyMs: 38,
  createdAt: '2026-11-22T09:00:00.000Z',
});

async function owned(): Promise<string> {
  const { key } = await marketplace.submitted(developer);
  return key;
}

const get = (key: string, rest: string, caller = developer) =>
  marketplace.service.request<Record<string, unknown> & { data: unknown[]; code: string; nextCursor: string }>(
    'GET',
    `/api/marketplace/developer/apps/${key}/${rest}`,
    { token: caller.token },
  );

describe('the deliveries of an app', () => {
  it('are what the dispatcher has, page by page', async () => {
    const key = await owned();
    const rows = [delivery(), delivery(), delivery()];
    neighbours.instead(rpc.webhooks.listAppDeliveries, ({ after, limit }) => {
      const begin = rows.findIndex(({ id }) => id === after) + 1;
      return { deliveries: rows.slice(begin, begin + limit), counted: after ? 0 : rows.length };
    });
    const query =
      'status=failed&event=lead.created&errorCode=http_5xx&from=2026-11-22T00:00:00Z&to=2026-11-23T00:00:00Z';
    const first = await get(key, `deliveries?size=2&${query}`);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ data: rows.slice(0, 2), total: 3, totalIsExact: true, hasMore: true });
    const second = await get(key, `deliveries?size=2&${query}&cursor=${first.body.nextCursor}`);
    expect(second.body).toMatchObject({ data: rows.slice(2), hasMore: false, nextCursor: null });
    const filter = {
      status: 'failed',
      event: 'lead.created',
      errorCode: 'http_5xx',
      from: '2026-11-22T00:00:00Z',
      to: '2026-11-23T00:00:00Z',
    };
    expect(neighbours.callsTo(rpc.webhooks.listAppDeliveries)).toEqual([
      { appKey: key, filter, limit: 3, offset: 0, countLimit: 10_001 },
      { appKey: key, filter, after: rows[1]?.id, limit: 3, offset: 0, countLimit: 0 },
    ]);
    const unfiltered = (await get(key, 'deliveries?size=1')).body.nextCursor;
    expect((await get(key, `deliveries?size=1&cursor=${unfiltered}`)).body.data).toEqual(rows.slice(1, 2));
    // A cursor belongs to its filter and its app.
    for (const [app, text] of [
      [key, 'status=failed'],
      [await owned(), query],
    ] as const) {
      expect(await refusal(get(app, `deliveries?${text}&cursor=${first.body.nextCursor}`))).toEqual([
        400,
        'INVALID_QUERY',
      ]);
    }
  });

  it('are shown one by one with their attempts', async () => {
    const key = await owned();
    const known = delivery();
    const attempt = { at: '2026-11-22T09:00:00.000Z', errorCode: 'reset', phase: 'headers' as const, latencyMs: 12 };
    neighbours.instead(rpc.webhooks.findAppDelivery, ({ id }) => ({
      found: id === known.id ? { delivery: known, attempts: [attempt] } : null,
    }));
    const { status, body } = await get(key, `deliveries/${known.id}`);
    expect([status, body]).toEqual([200, { ...known, attemptLog: [attempt] }]);
    expect((await get(key, `deliveries/${randomUUID()}`)).body.code).toBe('NOT_FOUND');
  });

  it('are counted by the hour', async () => {
    const key = await owned();
    const counts = { deliveries: 4, delivered: 2, failed: 1, attempts: 6 };
    neighbours.instead(rpc.webhooks.countAppDeliveries, () => ({
      hours: [
        { at: '2026-11-22T08:00:00.000Z', deliveries: 0, delivered: 0, failed: 0, attempts: 0, latencyMs: null },
        { at: '2026-11-22T09:00:00.000Z', ...counts, latencyMs: { p50: 1, p95: 2, p99: 3 } },
      ],
    }));
    const { status, body } = await get(key, 'stats?from=2026-11-22T08:00:00Z');
    expect([status, body.data]).toEqual([
      200,
      [
        { hour: '2026-11-22T08:00:00.000Z', deliveries: 0, delivered: 0, failed: 0, attempts: 0 },
        {
          hour: '2026-11-22T09:00:00.000Z',
          ...counts,
          successRate: 2 / 3,
          latencyMs: { p50: 1, p95: 2, p99: 3 },
        },
      ],
    ]);
    expect(neighbours.callsTo(rpc.webhooks.countAppDeliveries)).toEqual([
      { appKey: key, from: '2026-11-22T08:00:00Z' },
    ]);
  });

  it.each(['deliveries', 'deliveries/0198c0de-0000-7000-8000-000000000001', 'stats'])(
    '(%s) are for administrators of the publisher only',
    async (path) => {
      const key = await owned();
      const stranger = await marketplace.caller('owner');
      expect((await get(key, path, stranger)).body.code).toBe('NOT_FOUND');
      expect((await get(newKey(), path)).body.code).toBe('NOT_FOUND');
      const member = await marketplace.caller('member', developer.tenantId);
      expect((await get(key, path, member)).body.code).toBe('FORBIDDEN');
      expect(neighbours.calls.filter(({ name }) => name.includes('appDeliveries'))).toEqual([]);
    },
  );

  it('are refused with the reason of the dispatcher', async () => {
    const key = await owned();
    neighbours.refuse(
      rpc.webhooks.countAppDeliveries,
      'QUERY_TOO_EXPENSIVE',
      'from: more than 200,000 deliveries since then',
    );
    const tooMany = await get(key, 'stats');
    expect([tooMany.status, tooMany.body.code, tooMany.body.detail]).toEqual([
      422,
      'QUERY_TOO_EXPENSIVE',
      'from: more than 200,000 deliveries since then',
    ]);
    expect(await refusal(get(key, 'deliveries?status=lost'))).toEqual([400, 'INVALID_QUERY']);
  });
});
