import { PlatformError, rpc } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { type Fixture, useMarketplace } from './support/fixture.js';
import type { Body } from './support/marketplace.js';
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
    const kept = await marketplace.database.transaction(developer.tenantId, (tx) =>
      tx.query('select app_key, passed, mode from certification'),
    );
    expect(kept).toEqual([{ app_key: null, passed: false, mode: 'certification' }]);
    const other = await marketplace.caller('owner');
    const seen = await marketplace.database.transaction(other.tenantId, (tx) =>
      tx.query('select 1 from certification'),
    );
    expect(seen).toEqual([]);
  });

  it('is for administrators of a workspace', async () => {
    const body = { manifest: fieldService(newKey()) };
    expect((await marketplace.request(undefined, 'POST', '/developer/certifications', body)).status).toBe(401);
    for (const role of ['member', 'viewer']) {
      const caller = await marketplace.caller(role);
      const answer = await marketplace.request(caller, 'POST', '/developer/certifications', body);
      expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
    }
    const embed = await marketplace.sign({
      sub: developer.userId,
      tid: developer.tenantId,
      roles: ['admin'],
      embed: true,
      embed_app_id: 'x',
      scopes: ['leads'],
    });
    const answer = await marketplace.request({ ...developer, token: embed }, 'POST', '/developer/certifications', body);
    expect([answer.status, answer.body.code]).toEqual([403, 'EMBED_TOKEN_REFUSED']);
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
      const answer = await marketplace.submit(developer, manifest);
      expect([answer.status, answer.body.code]).toEqual([422, 'VALIDATION_FAILED']);
    }
    const halved = await marketplace.submit(developer, fieldService(newKey(), { name: 'Field \ud800' }));
    expect(halved.status).toBe(422);
  });

  it('stores a package unchanged', async () => {
    const manifest = fieldService(newKey());
    await marketplace.submit(developer, manifest);
    const stored = await marketplace.database.crossTenant((tx) =>
      tx.query<{ manifest: string }>('select manifest::text from app_version where app_key = $1', [manifest.key]),
    );
    expect(stored[0]?.manifest).toBe(JSON.stringify(manifest));
  });

  it('answers 503 while identity does not return the publisher', async () => {
    neighbours.instead(rpc.identity.getTenant, () => {
      throw new PlatformError('SERVICE_UNAVAILABLE');
    });
    const { status } = await marketplace.submit(developer, fieldService(newKey()));
    expect(status).toBe(503);
  });
});

describe('keys and versions', () => {
  it('belong to the first publisher', async () => {
    const key = newKey();
    await marketplace.submit(developer, fieldService(key));
    const other = await marketplace.caller('owner');
    const { status, body } = await marketplace.submit(other, fieldService(key, { version: '2.0.0' }));
    expect(status).toBe(422);
    expect(failing(body.certification)).toEqual(['MAN-002']);
  });

  it('only increase, even after a version was withdrawn', async () => {
    const key = newKey();
    await marketplace.submit(developer, fieldService(key, { version: '1.10.0' }));
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
    const key = newKey();
    await marketplace.submit(developer, fieldService(key));
    const path = `/developer/apps/${key}/versions/1.0.0/withdraw`;
    const first = await marketplace.request(developer, 'POST', path);
    expect([first.status, first.body.versionStatus]).toEqual([200, 'withdrawn']);
    const second = await marketplace.request(developer, 'POST', path);
    expect([second.status, second.body.code]).toEqual([409, 'SUBMISSION_STATE']);
  });

  it('is refused for a published version', async () => {
    const key = newKey();
    await marketplace.publish(developer, key);
    const { status } = await marketplace.request(developer, 'POST', `/developer/apps/${key}/versions/1.0.0/withdraw`);
    expect(status).toBe(409);
  });

  it('finds no version of another workspace', async () => {
    const key = newKey();
    await marketplace.submit(developer, fieldService(key));
    const other = await marketplace.caller('owner');
    for (const path of [`${key}/versions/1.0.0`, `${key}/versions/9.9.9`, 'none/versions/1.0.0', 'a%00b/versions/1']) {
      const { status, body } = await marketplace.request(other, 'POST', `/developer/apps/${path}/withdraw`);
      expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
    }
    expect((await marketplace.request(other, 'GET', '/developer/apps')).body.data).toEqual([]);
  });
});
