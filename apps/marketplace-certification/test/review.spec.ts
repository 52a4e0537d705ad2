import { describe, expect, it } from '@jest/globals';
import { ReviewService } from '../src/review/review.service.js';
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
  it('shows operators the submissions in a state, oldest first', async () => {
    const first = await submitted();
    const second = await submitted();
    const reviews = marketplace.service.get(ReviewService);
    const queue = await reviews.list(theOperator, 'in_review');
    const ids = queue.map(({ id }) => id);
    expect(ids.indexOf(first.id)).toBeLessThan(ids.indexOf(second.id));
    expect(queue.find(({ id }) => id === first.id)).toMatchObject({
      appKey: first.key,
      versionStatus: 'in_review',
      publisher: { tenantId: developer.tenantId, name: `Workspace ${developer.tenantId.slice(-4)}` },
      certification: { passed: true },
      claimedBy: null,
      verdict: null,
    });
    expect((await reviews.list(theOperator, 'rejected')).map(({ id }) => id)).not.toContain(first.id);
  });

  it('is for operators only', async () => {
    const { id } = await submitted();
    const tenantUser = { ...theOperator, kind: 'user' as const, tenantId: developer.tenantId };
    const reviews = marketplace.service.get(ReviewService);
    for (const nobody of [tenantUser, undefined]) {
      await expect(reviews.list(nobody)).rejects.toEqual(code('FORBIDDEN'));
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
