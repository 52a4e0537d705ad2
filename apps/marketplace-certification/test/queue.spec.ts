import type { Manifest } from '@crm/manifest';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { QueueService } from '../src/review/queue.service.js';
import type { SubmissionDetailView } from '../src/review/review.dto.js';
import { SubmissionMeter } from '../src/review/submission-meter.js';
import { submissionMetrics } from '../src/review/submission-metrics.js';
import { type Fixture, useMarketplace } from './support/fixture.js';
import { type Caller, theOperator } from './support/marketplace.js';
import { fieldService, newKey, reviewPacket } from './support/packages.js';

let { marketplace, developer, tenant } = {} as Fixture;
useMarketplace((fixture) => {
  ({ marketplace, developer, tenant } = fixture);
});

const queue = () => marketplace.service.get(QueueService);
const ids = async (query: Parameters<QueueService['list']>[1]) =>
  (await queue().list(theOperator, query)).data.map(({ id }) => id);
async function submit(caller: Caller, changes: Partial<Manifest> = {}, key = newKey()): Promise<string> {
  const { status, body } = await marketplace.submit(caller, fieldService(key, changes));
  expect([status, body.code]).toEqual([201, undefined]);
  return body.submissionId;
}
const code = (expected: string) => expect.objectContaining({ code: expected });

describe('the queue', () => {
  // Submissions of other tests would be in between.
  beforeEach(() =>
    marketplace.database.crossTenant((tx) =>
      tx.query("update app_version set status = 'withdrawn' where status = 'in_review'"),
    ),
  );

  it('gives every publisher their turn, however many versions one of them submits', async () => {
    const busy = [];
    for (let count = 0; count < 6; count += 1) busy.push(await submit(developer));
    const late = [await submit(tenant), await submit(tenant)];
    const third = await submit(await marketplace.caller('owner'));
    const expected = [busy[0], late[0], third, busy[1], late[1], ...busy.slice(2)];
    expect(await ids({ status: 'in_review' })).toEqual(expected);
    expect(await ids({ status: 'in_review', sort: 'submittedAt' })).toEqual([...busy, ...late, third]);
    expect(await ids({ status: 'in_review', sort: '-submittedAt' })).toEqual([...busy, ...late, third].reverse());

    for (const sort of ['fair', 'submittedAt', '-submittedAt'] as const) {
      const whole = await ids({ status: 'in_review', sort });
      const paged: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await queue().list(theOperator, { status: 'in_review', sort, size: 2, ...(cursor && { cursor }) });
        if (cursor === undefined) expect([page.total, page.totalIsExact, page.size]).toEqual([9, true, 2]);
        paged.push(...page.data.map(({ id }) => id));
        cursor = page.nextCursor ?? undefined;
        expect(page.hasMore).toBe(cursor !== undefined);
      } while (cursor);
      expect(paged).toEqual(whole);
      expect(await ids({ status: 'in_review', sort, size: 4, page: 2 })).toEqual(whole.slice(4, 8));
    }
  });

  it('is filtered by app, publisher, text, age and claim', async () => {
    const [key, other] = [newKey(), newKey()];
    const mine = await submit(developer, { name: 'Zephyr Fleet' }, key);
    const theirs = await submit(tenant, {}, other);
    const colleague = { ...theOperator, userId: '0198c0de-0000-7000-8000-000000000002' };
    expect(await ids({ appKey: key })).toEqual([mine]);
    expect(await ids({ publisherId: tenant.tenantId })).toEqual([theirs]);
    expect(await ids({ q: 'zEPHYR' })).toEqual([mine]);
    expect(await ids({ q: other.toUpperCase() })).toEqual([theirs]);
    expect(await ids({ q: '%' })).toEqual([]);
    await marketplace.database.crossTenant((tx) =>
      tx.query("update app_version set submitted_at = now() - interval '3 days' where id = $1", [mine]),
    );
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    expect(await ids({ status: 'in_review', submittedBefore: yesterday })).toEqual([mine]);
    expect(await ids({ status: 'in_review', submittedSince: yesterday })).toEqual([theirs]);
    await marketplace.decide(mine, 'claim');
    await marketplace.decide(theirs, 'claim', undefined, colleague);
    const free = await submit(developer);
    expect(await ids({ status: 'in_review', claim: 'mine' })).toEqual([mine]);
    expect(await ids({ status: 'in_review', claim: 'others' })).toEqual([theirs]);
    expect(await ids({ status: 'in_review', claim: 'none' })).toEqual([free]);
  });

  it('refuses the cursor of another operator, filter or order, and one that was made up', async () => {
    await submit(developer);
    await submit(developer);
    const { nextCursor } = await queue().list(theOperator, { status: 'in_review', size: 1 });
    const cursor = nextCursor ?? '';
    const other = { ...theOperator, userId: '0198c0de-0000-7000-8000-000000000002' };
    await expect(queue().list(other, { status: 'in_review', cursor })).rejects.toEqual(code('INVALID_QUERY'));
    await expect(queue().list(theOperator, { cursor })).rejects.toEqual(code('INVALID_QUERY'));
    await expect(queue().list(theOperator, { status: 'in_review', sort: 'submittedAt', cursor })).rejects.toEqual(
      code('INVALID_QUERY'),
    );
    const [binding, , id] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    for (const turn of [1.5, -1e300, 1e300]) {
      const forged = Buffer.from(JSON.stringify([binding, turn, id])).toString('base64url');
      expect((await queue().list(theOperator, { status: 'in_review', cursor: forged })).hasMore).toBe(false);
    }
  });

  it('is measured by status and age', async () => {
    const id = await submit(developer);
    await marketplace.database.crossTenant((tx) =>
      tx.query("update app_version set submitted_at = now() - interval '1 hour' where id = $1", [id]),
    );
    await marketplace.service.get(SubmissionMeter).sweep();
    const measured = async (metric: typeof submissionMetrics.items, status: string) =>
      (await metric.get()).values.find(({ labels }) => labels.status === status)?.value ?? Number.NaN;
    expect(await measured(submissionMetrics.items, 'in_review')).toBe(1);
    expect(await measured(submissionMetrics.oldest, 'in_review')).toBeGreaterThanOrEqual(3600);
    expect(await measured(submissionMetrics.items, 'suspended')).toBe(0);
  });
});

describe('a submission in detail', () => {
  const wider = (): Partial<Manifest> => ({
    version: '1.1.0',
    permissions: [...(fieldService('x').permissions ?? []), { scope: 'agent', purpose: 'Answers questions.' }],
    assistant: { tools: [{ name: 'find', inputSchema: { type: 'object' }, scope: 'leads:read', readOnly: true }] },
    listing: { summary: 'Work orders in the field', categories: ['operations'] },
  });

  it('has the package, the packet, the certification, its way and no difference to nothing', async () => {
    const key = newKey();
    const id = await submit(developer, {}, key);
    await marketplace.decide(id, 'claim');
    const token = await marketplace.sign({ aud: 'platform-admin', roles: ['reviewer'] });
    const shown = await marketplace.service.requestOfOperator('GET', `/api/admin/submissions/${id}`, { token });
    expect([shown.status, shown.body]).toMatchObject([200, { id, reviewPacket, certification: { passed: true } }]);
    const { manifest, certification, difference, history, name, claimedBy } = shown.body as SubmissionDetailView;
    expect(manifest).toEqual(JSON.parse(JSON.stringify(fieldService(key))));
    expect(certification).toMatchObject({ checks: expect.any(Array) });
    expect([difference, name, claimedBy]).toEqual([null, 'Field Service', theOperator.userId]);
    expect(history.map(({ actorKind, action }) => [actorKind, action])).toEqual([
      ['developer', 'submit'],
      ['operator', 'claim'],
    ]);
    await expect(queue().get(theOperator, theOperator.userId)).rejects.toEqual(code('NOT_FOUND'));
  });

  it('is shown however long it is, whatever its characters', async () => {
    const description = '\u{1f600}"\\ü'.repeat(60_000);
    const id = await submit(developer, { listing: { summary: 'Long', description, categories: ['operations'] } });
    const { manifest } = (await queue().get(theOperator, id)) as { manifest: Manifest };
    expect(manifest.listing?.description === description).toBe(true);
  });

  it('shows the reviewer and the developer what it changes against the version that tenants have', async () => {
    const key = newKey();
    const first = await submit(developer, {}, key);
    await marketplace.decide(first, 'publish', 'x');
    const rejected = await submit(developer, { version: '1.0.5', webhooks: [] }, key);
    await marketplace.decide(rejected, 'reject', 'no');
    const second = await submit(developer, wider(), key);
    const { difference } = await queue().get(theOperator, second);
    expect(difference?.against).toEqual({ submissionId: first, version: '1.0.0', versionStatus: 'published' });
    expect(difference?.entries.map(({ path, attention }) => [path, attention])).toEqual([
      ['/permissions/agent', 'access'],
      ['/assistant', 'access'],
      ['/version', 'text'],
      ['/listing/summary', 'text'],
    ]);
    expect(difference).toMatchObject({ counts: { access: 2, loss: 0, behaviour: 0, text: 2 }, complete: true });

    const path = `/developer/apps/${key}/versions/1.1.0`;
    const own = await marketplace.request(developer, 'GET', path);
    expect([own.status, own.body]).toMatchObject([
      200,
      { version: '1.1.0', versionStatus: 'in_review', certification: { passed: true }, difference },
    ]);
    expect(JSON.stringify(own.body)).not.toContain(theOperator.userId);
    expect((await marketplace.request(tenant, 'GET', path)).status).toBe(404);
    expect((await marketplace.request(developer, 'GET', `/developer/apps/${key}/versions/9.9.9`)).status).toBe(404);

    await marketplace.decide(second, 'publish', 'x');
    expect((await queue().get(theOperator, second)).difference?.against).toMatchObject({
      version: '1.0.0',
      versionStatus: 'deprecated',
    });
  });
});
