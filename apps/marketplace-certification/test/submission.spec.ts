import { type Plan, rpc } from '@crm/contracts';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { developer, marketplace, neighbours, useMarketplace } from './support/fixture.js';
import { type Body, type Caller, quota, refused } from './support/marketplace.js';
import { fieldService, newKey, reviewPacket } from './support/packages.js';

useMarketplace();

const failing = ({ checks }: Body['certification']) =>
  checks.filter(({ severity, status }) => severity === 'blocker' && status === 'fail').map(({ id }) => id);

describe('certifying without submitting', () => {
  it('checks a package and stores nothing under its key', async () => {
    const key = newKey();
    const { status, body } = await marketplace.post(developer, '/developer/certifications', {
      manifest: fieldService(key),
    });
    expect(status).toBe(200);
    expect(body.passed).toBe(true);
    expect(body.checks.find(({ id }) => id === 'REV-001')?.status).toBe('skip');
    const apps = await marketplace.get(developer, '/developer/apps');
    expect(apps.body).toEqual({ data: [] });
  });

  it('links each check to a page that anybody can read', async () => {
    const { body } = await marketplace.post(developer, '/developer/certifications', {
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
    await marketplace.post(developer, '/developer/certifications', {
      manifest: { key: 'no key', version: 7 },
    });
    const kept = await marketplace.queryOf(developer, 'select app_key, passed, mode from certification');
    expect(kept).toEqual([{ app_key: null, passed: false, mode: 'certification' }]);
    const other = await marketplace.caller('owner');
    const seen = await marketplace.queryOf(other, 'select 1 from certification');
    expect(seen).toEqual([]);
  });
});

describe('submitting', () => {
  it('puts a package that passes certification into review', async () => {
    const key = newKey();
    const { status, body } = await marketplace.submit(developer, fieldService(key));
    expect(status).toBe(201);
    expect(body).toMatchObject({ accepted: true, versionStatus: 'in_review', appKey: key, version: '1.0.0' });
    expect(body.certification.passed).toBe(true);
    const apps = await marketplace.get(developer, '/developer/apps');
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
    expect((await marketplace.get(developer, '/developer/apps')).body.data).toEqual([]);
  });

  it('refuses a package without a review packet', async () => {
    const { status, body } = await marketplace.post(developer, '/developer/apps/submit', {
      manifest: fieldService(newKey()),
    });
    expect([status, body.accepted, failing(body.certification)]).toEqual([422, false, ['REV-001']]);
  });

  it('refuses a body that is not a submission', async () => {
    for (const body of [{}, { manifest: [] }, { manifest: {}, reviewPacket, extra: 1 }]) {
      const answer = await marketplace.post(developer, '/developer/apps/submit', body);
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
      await refused(marketplace.submit(developer, manifest), 422, 'VALIDATION_FAILED');
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

const submit = (caller: Caller, manifest: object, key = 'k') =>
  marketplace.post(caller, '/developer/apps/submit', { manifest, reviewPacket }, { 'idempotency-key': key });

describe('a submission with an Idempotency-Key', () => {
  it('is accepted once, and repeated calls return its present state', async () => {
    const manifest = fieldService(newKey());
    const first = await submit(developer, manifest);
    expect(first).toMatchObject({ status: 201, body: { versionStatus: 'in_review' } });
    const again = await submit(developer, manifest);
    expect([again.status, again.body]).toEqual([201, first.body]);
    await marketplace.decide(first.body.submissionId, 'publish', 'The warnings are known.');
    const later = await submit(developer, manifest);
    expect(later.body).toMatchObject({ submissionId: first.body.submissionId, versionStatus: 'published' });
    // Without the key it is another submission, of a version that exists already.
    expect((await marketplace.submit(developer, manifest)).body.code).toBe('CERTIFICATION_FAILED');
  });

  it('is refused when the key is reused with another package', async () => {
    const key = newKey();
    await submit(developer, fieldService(key));
    await refused(submit(developer, fieldService(key, { version: '2.0.0' })), 422, 'IDEMPOTENCY_KEY_REUSED');
  });

  it('is accepted once when the calls arrive at the same time', async () => {
    const manifest = fieldService(newKey());
    const answers = await Promise.all(Array.from({ length: 5 }, () => submit(developer, manifest)));
    const accepted = answers.filter(({ status }) => status === 201);
    expect(new Set(accepted.map(({ body }) => body.submissionId)).size).toBe(1);
    for (const { status, body } of answers.filter((answer) => answer.status !== 201)) {
      expect([status, body.code]).toEqual([409, 'IDEMPOTENCY_KEY_IN_USE']);
    }
  });

  it('can be repeated after it was refused', async () => {
    const key = newKey();
    expect((await submit(developer, { ...fieldService(key), version: 'none' })).status).toBe(422);
    expect((await submit(developer, fieldService(key))).status).toBe(201);
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
    await marketplace.post(developer, `/developer/apps/${key}/versions/1.10.0/withdraw`);
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
    const first = await marketplace.post(developer, path);
    expect([first.status, first.body.versionStatus]).toEqual([200, 'withdrawn']);
    await refused(marketplace.post(developer, path), 409, 'SUBMISSION_STATE');
  });

  it('is refused for a published version', async () => {
    const key = await marketplace.published(developer);
    const { status } = await marketplace.post(developer, `/developer/apps/${key}/versions/1.0.0/withdraw`);
    expect(status).toBe(409);
  });

  it('finds no version that does not exist', async () => {
    const { key } = await marketplace.submitted(developer);
    for (const path of [`${key}/versions/9.9.9`, 'none/versions/1.0.0', 'a%00b/versions/1']) {
      await refused(marketplace.post(developer, `/developer/apps/${path}/withdraw`), 404, 'NOT_FOUND');
    }
  });
});

/** NET-001 of a package that calls these hosts. */
async function judged(hosts: readonly string[]) {
  const webhooks = hosts.map((host) => ({ events: ['lead.created'], url: `https://${host}/` }));
  const manifest = { ...fieldService(newKey()), webhooks };
  const { body } = await marketplace.post(developer, '/developer/certifications', { manifest });
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

const certify = (caller: Caller, manifest: object = {}) =>
  marketplace.post(caller, '/developer/certifications', { manifest });
const isTenant = (more: { plan?: Plan; verified?: boolean }) =>
  neighbours.instead(rpc.identity.getTenant, ({ tenantId }) => ({
    id: tenantId,
    name: 'Acme',
    plan: 'developer' as const,
    timeZone: 'UTC',
    country: null,
    ...more,
  }));

describe('a workspace whose address is not verified', () => {
  it('certifies, and submits nothing', async () => {
    isTenant({ verified: false });
    expect((await certify(developer)).status).toBe(200);
    await refused(marketplace.submit(developer, fieldService(newKey())), 403, 'EMAIL_NOT_VERIFIED');
    isTenant({ verified: true });
    expect((await marketplace.submit(developer, fieldService(newKey()))).status).toBe(201);
  });
});

describe('the quotas of a publisher', () => {
  beforeEach(() => {
    const quotas = { certifications: { ...quota(2), enterprise: 3 }, submissions: quota(2) };
    jest.replaceProperty(marketplace.config, 'quotas', quotas);
  });

  it('stop certifications by plan, failed ones included, and not those of another workspace', async () => {
    expect((await certify(developer)).body).toMatchObject({ passed: false });
    expect((await certify(developer, fieldService(newKey()))).status).toBe(200);
    const { status, headers, body } = await certify(developer, fieldService(newKey()));
    expect([status, body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(body.detail).toBe('The limit of 2 certifications per day is reached');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(80_000);
    expect((await certify(await marketplace.caller('owner'))).status).toBe(200);
    isTenant({ plan: 'enterprise' });
    expect((await certify(developer)).status).toBe(200);
    expect((await certify(developer)).status).toBe(429);
  });

  it('stop submissions, failed ones included, also after a restart', async () => {
    expect((await marketplace.submit(developer, {})).status).toBe(422);
    expect((await marketplace.submit(developer, fieldService(newKey()))).status).toBe(201);
    await marketplace.restart();
    const { status, body } = await marketplace.submit(developer, fieldService(newKey()));
    expect([status, body.detail]).toEqual([429, 'The limit of 2 submissions per day is reached']);
  });

  it('do not refuse the repetition of a submission that was within them', async () => {
    const body = { manifest: fieldService(newKey()), reviewPacket };
    const submit = () => marketplace.post(developer, '/developer/apps/submit', body, { 'idempotency-key': 'again' });
    const first = await submit();
    await marketplace.submit(developer, fieldService(newKey()));
    const again = await submit();
    expect([again.status, again.body.submissionId]).toEqual([201, first.body.submissionId]);
    expect((await marketplace.submit(developer, fieldService(newKey()))).status).toBe(429);
  });
});
