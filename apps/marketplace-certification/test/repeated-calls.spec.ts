import { rpc } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { type Fixture, useMarketplace } from './support/fixture.js';
import { type Caller, refusal } from './support/marketplace.js';
import { Gate } from './support/neighbours.js';
import { fieldService, newKey, reviewPacket } from './support/packages.js';

let { marketplace, neighbours, developer, tenant } = {} as Fixture;
useMarketplace(
  (fixture) => {
    ({ marketplace, neighbours, developer, tenant } = fixture);
  },
  { answerWithinMs: 3_000 },
);

const submit = (caller: Caller, manifest: object, key = 'k') =>
  marketplace.request(caller, 'POST', '/developer/apps/submit', { manifest, reviewPacket }, { 'idempotency-key': key });
const install = (caller: Caller, appKey: string, more: object = {}, key = 'k') =>
  marketplace.request(caller, 'POST', '/installs', { appKey, ...more }, { 'idempotency-key': key });
async function published(): Promise<string> {
  const key = await marketplace.published(developer);
  return key;
}

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
    expect(await refusal(submit(developer, fieldService(key, { version: '2.0.0' })))).toEqual([
      422,
      'IDEMPOTENCY_KEY_REUSED',
    ]);
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
    const refused = { ...fieldService(key), version: 'none' };
    expect((await submit(developer, refused)).status).toBe(422);
    expect((await submit(developer, fieldService(key))).status).toBe(201);
  });
});

describe('an installation with an Idempotency-Key', () => {
  it('is made once, and repeated calls return its present state', async () => {
    const key = await published();
    const first = await install(tenant, key);
    expect(first).toMatchObject({ status: 201, body: { state: 'active' } });
    const again = await install(tenant, key);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect((await marketplace.install(tenant, key)).body.code).toBe('ALREADY_INSTALLED');
    await marketplace.request(tenant, 'DELETE', `/installs/${first.body.id}`);
    expect((await install(tenant, key)).body).toMatchObject({ id: first.body.id, state: 'uninstalled' });
  });

  it('is returned while it is being installed', async () => {
    const key = await published();
    const gate = new Gate();
    neighbours.instead(rpc.automations.provisionWorkflows, async (request) => {
      await gate.opened;
      return neighbours.provisionWorkflows(request);
    });
    const first = await install(tenant, key);
    expect(first).toMatchObject({ status: 202, body: { state: 'installing' } });
    const again = await install(tenant, key);
    expect(again).toMatchObject({ status: 202, body: { id: first.body.id, state: 'installing' } });
    gate.open();
    await marketplace.settled(tenant, first.body.id, 'active');
    expect((await install(tenant, key)).status).toBe(201);
  });

  it('fails again in the same way after it failed', async () => {
    const key = await published();
    neighbours.refuse(rpc.customObjects.provisionObjects, 'OBJECT_LIMIT_EXCEEDED');
    const first = await install(tenant, key);
    expect([first.status, first.body.code]).toEqual([409, 'OBJECT_LIMIT_EXCEEDED']);
    neighbours.reset();
    const again = await install(tenant, key);
    expect(again.body).toMatchObject({
      code: 'OBJECT_LIMIT_EXCEEDED',
      installation: { id: first.body.installation.id },
    });
    expect((await install(tenant, key, {}, 'another')).status).toBe(201);
  });

  it('is refused when the key is reused with another body', async () => {
    const key = await published();
    await install(tenant, key);
    expect(await refusal(install(tenant, key, { sandbox: true }))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });
});

describe('calls that issue a secret', () => {
  it.each(['embed-credentials', 'webhook-secret'])('(%s) refuse an Idempotency-Key', async (what) => {
    const key = await published();
    expect(
      await refusal(
        marketplace.request(developer, 'POST', `/developer/apps/${key}/${what}`, undefined, {
          'idempotency-key': 'k',
        }),
      ),
    ).toEqual([400, 'MALFORMED_REQUEST']);
  });
});

describe('lists', () => {
  it('of apps and of installations continue by cursor, and refuse the cursor of another list', async () => {
    const keys = [await published(), await published(), await published()];
    for (const key of keys) await marketplace.install(tenant, key);
    for (const path of ['/apps', '/installs']) {
      const list = async (query: string) => (await marketplace.request(tenant, 'GET', `${path}?${query}`)).body;
      const all = await list('size=200');
      const seen: unknown[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: typeof all = await list(`size=2${cursor && `&cursor=${cursor}`}`);
        // Later pages are not counted again.
        expect(page.total).toBe(cursor === '' ? all.total : null);
        seen.push(...page.data);
        cursor = page.nextCursor;
      }
      expect(seen).toEqual(all.data);
      expect(seen.length).toBeGreaterThanOrEqual(3);
    }
    const { nextCursor } = (await marketplace.request(tenant, 'GET', '/apps?size=1')).body;
    const stranger = await marketplace.caller();
    for (const [caller, path] of [
      [tenant, '/installs?'],
      [tenant, '/apps?q=field&'],
      [stranger, '/apps?'],
    ] as const) {
      expect(await refusal(marketplace.request(caller, 'GET', `${path}cursor=${nextCursor}`))).toEqual([
        400,
        'INVALID_QUERY',
      ]);
    }
  });
});
