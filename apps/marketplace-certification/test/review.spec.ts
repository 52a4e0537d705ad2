import type { Manifest } from '@crm/manifest';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { VersionRepository } from '../src/catalogue/catalogue.repository.js';
import { QueueService } from '../src/review/queue.service.js';
import type { SubmissionDetailView } from '../src/review/review.dto.js';
import { CLAIM_HOURS, ReviewService } from '../src/review/review.service.js';
import { SubmissionMeter, submissionMetrics } from '../src/review/submission-meter.js';
import {
  anotherOperator,
  type Caller,
  developer,
  marketplace,
  refusedWith,
  tenant,
  theOperator,
  useMarketplace,
} from './support/marketplace.js';
import { fieldService, newKey, reviewPacket } from './support/packages.js';

useMarketplace();

const submitted = (changes?: object) => marketplace.submitted(developer, changes);
/** It lacks a listing. */
const withWarning = { listing: undefined };
const trail = (submissionId: string) =>
  marketplace.query(
    `select actor_kind as actor, action, from_status as "from", to_status as "to", reason from submission_audit
     where submission_id = $1 order by at, id`,
    [submissionId],
  );
const queue = () => marketplace.service.get(QueueService);
const submit = async (caller: Caller, changes?: Partial<Manifest>, key?: string) =>
  (await marketplace.submitted(caller, changes, key)).id;
/** Fails unless one alone succeeds of what is done at the same moment. */
async function once(attempts: Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(attempts);
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
}

describe('the review queue', () => {
  it('shows operators the submissions in a state', async () => {
    const first = await submitted();
    const second = await submitted();
    const { data } = await queue().list(theOperator, { status: 'in_review', publisherId: developer.tenantId });
    expect(data.map(({ id }) => id)).toEqual([first.id, second.id]);
    expect(data[0]).toMatchObject({
      appKey: first.key,
      versionStatus: 'in_review',
      publisher: { tenantId: developer.tenantId, name: `Workspace ${developer.tenantId.slice(-4)}` },
      certification: { passed: true },
      claimedBy: null,
      claimedUntil: null,
      verdict: null,
    });
    const rejected = await queue().list(theOperator, { status: 'rejected', publisherId: developer.tenantId });
    expect(rejected.data).toEqual([]);
  });

  it('is for operators only', async () => {
    const { id } = await submitted();
    const tenantUser = { ...theOperator, kind: 'user' as const, tenantId: developer.tenantId };
    const reviews = marketplace.service.get(ReviewService);
    for (const nobody of [tenantUser, undefined]) {
      const calls = [queue().list(nobody), queue().get(nobody, id), reviews.decide(nobody, id, 'publish')];
      await refusedWith('FORBIDDEN', ...calls);
    }
  });
});

describe('decisions', () => {
  it('publish a version at once or after an approval, and are recorded in the audit trail', async () => {
    const { id, key } = await submitted();
    await marketplace.decide(id, 'claim');
    await marketplace.decide(id, 'approve', 'fine');
    const published = await marketplace.decide(id, 'publish');
    expect(published).toMatchObject({
      versionStatus: 'published',
      verdict: 'published',
      claimedBy: theOperator.userId,
    });
    expect(await trail(id)).toEqual([
      { actor: 'developer', action: 'submit', from: 'draft', to: 'in_review', reason: null },
      { actor: 'operator', action: 'claim', from: 'in_review', to: 'in_review', reason: null },
      { actor: 'operator', action: 'approve', from: 'in_review', to: 'approved', reason: 'fine' },
      { actor: 'operator', action: 'publish', from: 'approved', to: 'published', reason: null },
    ]);
    const { body } = await marketplace.get(developer, '/developer/apps');
    expect(body.data.find((app) => app.key === key)?.versions[0]).toMatchObject({
      versionStatus: 'published',
      verdict: 'published',
    });
  });

  it('require a reason to reject or to request changes', async () => {
    for (const decision of ['reject', 'request-changes'] as const) {
      const { id } = await submitted();
      await refusedWith('VALIDATION_FAILED', marketplace.decide(id, decision, '  '));
      const decided = await marketplace.decide(id, decision, 'The demo shows another app.');
      expect(decided.verdict).toBe('The demo shows another app.');
      await refusedWith('SUBMISSION_STATE', marketplace.decide(id, 'publish', 'after all'));
    }
  });

  it('require a reason to publish with open warnings', async () => {
    const { id } = await submitted(withWarning);
    await refusedWith('VALIDATION_FAILED', marketplace.decide(id, 'publish'));
    expect(await marketplace.decide(id, 'publish', 'An internal tool.')).toMatchObject({ versionStatus: 'published' });
  });

  it('are made once, even when several operators make them at the same moment', async () => {
    const { id } = await submitted();
    await once((['publish', 'reject', 'publish'] as const).map((decision) => marketplace.decide(id, decision, 'x')));
    expect(await trail(id)).toHaveLength(2);
  });

  it('are for the operator who claimed the submission, until another one claims it with a reason', async () => {
    const { id } = await submitted();
    await marketplace.decide(id, 'claim');
    await refusedWith('SUBMISSION_STATE', marketplace.decide(id, 'publish', 'x', anotherOperator));
    await refusedWith('SUBMISSION_STATE', marketplace.decide(id, 'claim', undefined, anotherOperator));
    await marketplace.decide(id, 'claim', 'My colleague is on leave.', anotherOperator);
    expect(await marketplace.decide(id, 'publish', 'x', anotherOperator)).toMatchObject({ versionStatus: 'published' });
  });

  it('are open to everybody again when the claim lapses, is given back or has led to an approval', async () => {
    const lapsed = await submitted();
    const claimed = await marketplace.decide(lapsed.id, 'claim');
    const remaining = Date.parse(claimed.claimedUntil ?? '') - Date.now();
    expect(Math.abs(remaining - CLAIM_HOURS * 3_600_000)).toBeLessThan(60_000);
    const lapse = "update app_version set claimed_until = now() - interval '1 second' where id = $1";
    await marketplace.query(lapse, [lapsed.id]);
    expect(await queue().get(theOperator, lapsed.id)).toMatchObject({ claimedBy: null, claimedUntil: null });
    await refusedWith('SUBMISSION_STATE', marketplace.decide(lapsed.id, 'release'));
    const { claimedBy } = await marketplace.decide(lapsed.id, 'claim', undefined, anotherOperator);
    expect(claimedBy).toBe(anotherOperator.userId);
    await refusedWith('SUBMISSION_STATE', marketplace.decide(lapsed.id, 'publish', 'x'));

    const given = await submitted();
    await marketplace.decide(given.id, 'claim');
    await refusedWith('SUBMISSION_STATE', marketplace.decide(given.id, 'release', undefined, anotherOperator));
    expect(await marketplace.decide(given.id, 'release')).toMatchObject({ claimedBy: null, claimedUntil: null });
    const published = { versionStatus: 'published' };
    expect(await marketplace.decide(given.id, 'publish', 'x', anotherOperator)).toMatchObject(published);

    const approved = await submitted();
    await marketplace.decide(approved.id, 'claim');
    const view = await marketplace.decide(approved.id, 'approve');
    expect(view).toMatchObject({ claimedBy: theOperator.userId, claimedUntil: null });
    expect(await marketplace.decide(approved.id, 'publish', 'x', anotherOperator)).toMatchObject(published);
  });

  it('lets one of many operators who claim at the same moment have the submission', async () => {
    const { id } = await submitted();
    const operators = Array.from({ length: 8 }, (_, index) => ({
      ...theOperator,
      userId: `0198c0de-0000-7000-8000-00000000001${index}`,
    }));
    await once(operators.map((operator) => marketplace.decide(id, 'claim', undefined, operator)));
  });

  it('are refused for an unknown submission', async () => {
    await refusedWith('NOT_FOUND', marketplace.decide('0198c0de-0000-7000-8000-00000000000f', 'publish'));
  });

  it('deprecate the version published so far, and never publish a lower one', async () => {
    const key = newKey();
    const [low, first, second] = [
      await submit(developer, { version: '0.9.0' }, key),
      await submit(developer, { version: '1.0.0' }, key),
      await submit(developer, { version: '1.1.0' }, key),
    ];
    await marketplace.decide(first, 'publish', 'x');
    await marketplace.decide(second, 'publish', 'x');
    await refusedWith('SUBMISSION_STATE', marketplace.decide(low, 'publish', 'x'));
    const { body } = await marketplace.get(developer, '/developer/apps');
    const versions = body.data.find((app) => app.key === key)?.versions ?? [];
    expect(versions.map(({ version, versionStatus }) => [version, versionStatus])).toEqual([
      ['1.1.0', 'published'],
      ['1.0.0', 'deprecated'],
      ['0.9.0', 'in_review'],
    ]);
    expect(await trail(first)).toContainEqual({
      actor: 'system',
      action: 'deprecate',
      from: 'published',
      to: 'deprecated',
      reason: 'Version 1.1.0 was published.',
    });
  });
});

const ids = async (query: Parameters<QueueService['list']>[1]) =>
  (await queue().list(theOperator, query)).data.map(({ id }) => id);

describe('the queue', () => {
  // Submissions of other tests would be in between.
  beforeEach(() => marketplace.query("update app_version set status = 'withdrawn' where status = 'in_review'"));

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
    expect(await ids({ appKey: key })).toEqual([mine]);
    expect(await ids({ publisherId: tenant.tenantId })).toEqual([theirs]);
    expect(await ids({ q: 'zEPHYR' })).toEqual([mine]);
    expect(await ids({ q: other.toUpperCase() })).toEqual([theirs]);
    expect(await ids({ q: '%' })).toEqual([]);
    await marketplace.query("update app_version set submitted_at = now() - interval '3 days' where id = $1", [mine]);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    expect(await ids({ status: 'in_review', submittedBefore: yesterday })).toEqual([mine]);
    expect(await ids({ status: 'in_review', submittedSince: yesterday })).toEqual([theirs]);
    await marketplace.decide(mine, 'claim');
    await marketplace.decide(theirs, 'claim', undefined, anotherOperator);
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
    await refusedWith(
      'INVALID_QUERY',
      queue().list(anotherOperator, { status: 'in_review', cursor }),
      queue().list(theOperator, { cursor }),
      queue().list(theOperator, { status: 'in_review', sort: 'submittedAt', cursor }),
    );
    const [binding, , id] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    for (const turn of [1.5, -1e300, 1e300]) {
      const forged = Buffer.from(JSON.stringify([binding, turn, id])).toString('base64url');
      expect((await queue().list(theOperator, { status: 'in_review', cursor: forged })).hasMore).toBe(false);
    }
  });

  it('is measured by status and age', async () => {
    const id = await submit(developer);
    await marketplace.query("update app_version set submitted_at = now() - interval '1 hour' where id = $1", [id]);
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
    await refusedWith('NOT_FOUND', queue().get(theOperator, theOperator.userId));
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
    const own = await marketplace.get(developer, path);
    expect([own.status, own.body]).toMatchObject([
      200,
      { version: '1.1.0', versionStatus: 'in_review', certification: { passed: true }, difference },
    ]);
    expect(JSON.stringify(own.body)).not.toContain(theOperator.userId);
    expect((await marketplace.get(tenant, path)).status).toBe(404);
    expect((await marketplace.get(developer, `/developer/apps/${key}/versions/9.9.9`)).status).toBe(404);

    await marketplace.decide(second, 'publish', 'x');
    expect((await queue().get(theOperator, second)).difference?.against).toMatchObject({
      version: '1.0.0',
      versionStatus: 'deprecated',
    });
  });
});

const seen = async (key: string, version: string) =>
  (await marketplace.get(developer, `/developer/apps/${key}/versions/${version}`)).body;

describe('the difference of two versions', () => {
  it('is computed once, however often developers and reviewers look at it', async () => {
    const key = await marketplace.published(developer);
    const id = await submit(developer, { version: '1.1.0', name: 'Another' }, key);
    const read = jest.spyOn(marketplace.service.get(VersionRepository), 'getManifest');
    const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => seen(key, '1.1.0')));
    expect(first).toMatchObject({ difference: { against: { version: '1.0.0', versionStatus: 'published' } } });
    for (const other of others) expect(other).toEqual(first);
    const { difference } = await queue().get(theOperator, id);
    expect(first).toMatchObject({ difference });
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('is another one against the version that is published next, and shows the state that a version has now', async () => {
    const key = await marketplace.published(developer);
    const next = await submit(developer, { version: '1.1.0', name: 'Another' }, key);
    await submit(developer, { version: '1.2.0', name: 'Another' }, key);
    expect(await seen(key, '1.2.0')).toMatchObject({ difference: { against: { version: '1.0.0' } } });
    await marketplace.decide(next, 'publish', 'The warnings are known.');
    const shown = await seen(key, '1.2.0');
    expect(shown).toMatchObject({ difference: { against: { version: '1.1.0', versionStatus: 'published' } } });
    expect(await seen(key, '1.1.0')).toMatchObject({
      difference: { against: { version: '1.0.0', versionStatus: 'deprecated' } },
    });
  });

  it('is tried again after it could not be read', async () => {
    const key = await marketplace.published(developer);
    const id = await submit(developer, { version: '1.1.0', name: 'Another' }, key);
    const versions = marketplace.service.get(VersionRepository);
    jest.spyOn(versions, 'getManifest').mockRejectedValueOnce(new Error('The connection is lost'));
    await expect(queue().get(theOperator, id)).rejects.toThrow('The connection is lost');
    expect((await queue().get(theOperator, id)).difference).not.toBeNull();
  });
});
