import { describe, expect, it } from '@jest/globals';
import { QueueService } from '../src/review/queue.service.js';
import { CLAIM_HOURS, ReviewService } from '../src/review/review.service.js';
import { type Fixture, useMarketplace } from './support/fixture.js';
import { theOperator } from './support/marketplace.js';
import { fieldService, newKey } from './support/packages.js';

let { marketplace, developer } = {} as Fixture;
useMarketplace((fixture) => {
  ({ marketplace, developer } = fixture);
});

/** A package without a warning, or with one: it lacks a listing. */
async function submitted(changes: object = {}): Promise<{ id: string; key: string }> {
  const key = newKey();
  const { status, body } = await marketplace.submit(developer, fieldService(key, changes));
  expect(status).toBe(201);
  return { id: body.submissionId, key };
}
const withWarning = { listing: undefined };
const code = (expected: string) => expect.objectContaining({ code: expected });
const trail = (submissionId: string) =>
  marketplace.database.crossTenant((tx) =>
    tx.query(
      `select actor_kind as actor, action, from_status as "from", to_status as "to", reason from submission_audit
       where submission_id = $1 order by at, id`,
      [submissionId],
    ),
  );

describe('the review queue', () => {
  it('shows operators the submissions in a state', async () => {
    const first = await submitted();
    const second = await submitted();
    const queue = marketplace.service.get(QueueService);
    const { data } = await queue.list(theOperator, { status: 'in_review', publisherId: developer.tenantId });
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
    const rejected = await queue.list(theOperator, { status: 'rejected', publisherId: developer.tenantId });
    expect(rejected.data).toEqual([]);
  });

  it('is for operators only', async () => {
    const { id } = await submitted();
    const tenantUser = { ...theOperator, kind: 'user' as const, tenantId: developer.tenantId };
    const queue = marketplace.service.get(QueueService);
    for (const nobody of [tenantUser, undefined]) {
      await expect(queue.list(nobody)).rejects.toEqual(code('FORBIDDEN'));
      await expect(queue.get(nobody, id)).rejects.toEqual(code('FORBIDDEN'));
      const reviews = marketplace.service.get(ReviewService);
      await expect(reviews.decide(nobody, id, 'publish')).rejects.toEqual(code('FORBIDDEN'));
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
    const { body } = await marketplace.request(developer, 'GET', '/developer/apps');
    expect(body.data.find((app) => app.key === key)?.versions[0]).toMatchObject({
      versionStatus: 'published',
      verdict: 'published',
    });
  });

  it('require a reason to reject or to request changes', async () => {
    for (const decision of ['reject', 'request-changes'] as const) {
      const { id } = await submitted();
      await expect(marketplace.decide(id, decision, '  ')).rejects.toEqual(code('VALIDATION_FAILED'));
      const decided = await marketplace.decide(id, decision, 'The demo shows another app.');
      expect(decided.verdict).toBe('The demo shows another app.');
      await expect(marketplace.decide(id, 'publish', 'after all')).rejects.toEqual(code('SUBMISSION_STATE'));
    }
  });

  it('require a reason to publish with open warnings', async () => {
    const { id } = await submitted(withWarning);
    await expect(marketplace.decide(id, 'publish')).rejects.toEqual(code('VALIDATION_FAILED'));
    expect(await marketplace.decide(id, 'publish', 'An internal tool.')).toMatchObject({ versionStatus: 'published' });
  });

  it('are made once, even when several operators make them at the same moment', async () => {
    const { id } = await submitted();
    const outcomes = await Promise.allSettled([
      marketplace.decide(id, 'publish', 'a'),
      marketplace.decide(id, 'reject', 'b'),
      marketplace.decide(id, 'publish', 'c'),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await trail(id)).toHaveLength(2);
  });

  it('are for the operator who claimed the submission, until another one claims it with a reason', async () => {
    const { id } = await submitted();
    await marketplace.decide(id, 'claim');
    const other = { ...theOperator, userId: '0198c0de-0000-7000-8000-000000000002' };
    await expect(marketplace.decide(id, 'publish', 'x', other)).rejects.toEqual(code('SUBMISSION_STATE'));
    await expect(marketplace.decide(id, 'claim', undefined, other)).rejects.toEqual(code('SUBMISSION_STATE'));
    await marketplace.decide(id, 'claim', 'My colleague is on leave.', other);
    expect(await marketplace.decide(id, 'publish', 'x', other)).toMatchObject({ versionStatus: 'published' });
  });

  it('are open to everybody again when the claim lapses, is given back or has led to an approval', async () => {
    const other = { ...theOperator, userId: '0198c0de-0000-7000-8000-000000000002' };
    const shown = (id: string) => marketplace.service.get(QueueService).get(theOperator, id);

    const lapsed = await submitted();
    const claimed = await marketplace.decide(lapsed.id, 'claim');
    const remaining = Date.parse(claimed.claimedUntil ?? '') - Date.now();
    expect(Math.abs(remaining - CLAIM_HOURS * 3_600_000)).toBeLessThan(60_000);
    await marketplace.database.crossTenant((tx) =>
      tx.query("update app_version set claimed_until = now() - interval '1 second' where id = $1", [lapsed.id]),
    );
    expect(await shown(lapsed.id)).toMatchObject({ claimedBy: null, claimedUntil: null });
    await expect(marketplace.decide(lapsed.id, 'release')).rejects.toEqual(code('SUBMISSION_STATE'));
    expect(await marketplace.decide(lapsed.id, 'claim', undefined, other)).toMatchObject({ claimedBy: other.userId });
    await expect(marketplace.decide(lapsed.id, 'publish', 'x')).rejects.toEqual(code('SUBMISSION_STATE'));

    const given = await submitted();
    await marketplace.decide(given.id, 'claim');
    await expect(marketplace.decide(given.id, 'release', undefined, other)).rejects.toEqual(code('SUBMISSION_STATE'));
    expect(await marketplace.decide(given.id, 'release')).toMatchObject({ claimedBy: null, claimedUntil: null });
    expect(await marketplace.decide(given.id, 'publish', 'x', other)).toMatchObject({ versionStatus: 'published' });

    const approved = await submitted();
    await marketplace.decide(approved.id, 'claim');
    const view = await marketplace.decide(approved.id, 'approve');
    expect(view).toMatchObject({ claimedBy: theOperator.userId, claimedUntil: null });
    expect(await marketplace.decide(approved.id, 'publish', 'x', other)).toMatchObject({ versionStatus: 'published' });
  });

  it('lets one of many operators who claim at the same moment have the submission', async () => {
    const { id } = await submitted();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) =>
        marketplace.decide(id, 'claim', undefined, {
          ...theOperator,
          userId: `0198c0de-0000-7000-8000-00000000001${index}`,
        }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('are refused on a submission of the operator’s own workspace', async () => {
    const { id } = await submitted();
    const own = { ...theOperator, linkedTenantId: developer.tenantId };
    await expect(marketplace.decide(id, 'publish', 'x', own)).rejects.toEqual(code('OWN_SUBMISSION'));
  });

  it('are refused for an unknown submission', async () => {
    await expect(marketplace.decide('0198c0de-0000-7000-8000-00000000000f', 'publish')).rejects.toEqual(
      code('NOT_FOUND'),
    );
  });

  it('deprecate the version published so far, and never publish a lower one', async () => {
    const key = newKey();
    const submit = async (version: string) =>
      (await marketplace.submit(developer, fieldService(key, { version }))).body.submissionId;
    const [low, first, second] = [await submit('0.9.0'), await submit('1.0.0'), await submit('1.1.0')];
    await marketplace.decide(first, 'publish', 'x');
    await marketplace.decide(second, 'publish', 'x');
    await expect(marketplace.decide(low, 'publish', 'x')).rejects.toEqual(code('SUBMISSION_STATE'));
    const { body } = await marketplace.request(developer, 'GET', '/developer/apps');
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
