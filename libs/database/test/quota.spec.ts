import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { QueryRunner } from 'typeorm';
import {
  assertQuotaLeft,
  createQuotaTable,
  type Database,
  inWorkspace,
  newId,
  ServiceMigration,
  takeQuota,
} from '../src/index.js';
import { type Fixture, roles, startFixture } from './fixture.js';

class CreateTable1700000000000 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createQuotaTable(runner, roles, { narrowTakes: true });
  }
}

const RULE = { name: 'invitations', limit: 2, windowSeconds: 86_400, what: 'invitations' };

describe('a quota', () => {
  let fixture: Fixture;
  let database: Database;
  beforeAll(async () => {
    fixture = await startFixture({ migrations: [CreateTable1700000000000] });
    ({ database } = fixture);
  });
  afterAll(() => fixture.drop());

  const outcomeOf = (taking: Promise<number>) =>
    taking.then(
      () => 'taken',
      (error: { code: string }) => error.code,
    );
  const take = (tenantId: string, rule = RULE) =>
    outcomeOf(database.transaction(tenantId, (tx) => takeQuota(tx, tenantId, rule)));
  const takeThrice = async (tenantId: string) => [await take(tenantId), await take(tenantId), await take(tenantId)];
  const left = (tenantId: string) => database.transaction(tenantId, (tx) => assertQuotaLeft(tx, tenantId, RULE));

  it('is refused when nothing is left, with what is known of the window, and not to another tenant or by another name', async () => {
    const tenantId = newId();
    expect(await takeThrice(tenantId)).toEqual(['taken', 'taken', 'RATE_LIMITED']);
    await expect(left(tenantId)).rejects.toMatchObject({
      message: 'Limit reached: 2 invitations per day',
      extra: {
        retryAfterSeconds: 86_400,
        limits: [{ name: 'invitations', quota: 2, windowSeconds: 86_400, remaining: 0, resetSeconds: 86_400 }],
      },
    });
    expect([await take(newId()), await take(tenantId, { ...RULE, name: 'others' })]).toEqual(['taken', 'taken']);
  });

  it('is used once by each of many calls at the same time, also those of the narrow role', async () => {
    const tenantId = newId();
    const rule = { ...RULE, limit: 5 };
    const takeNarrow = () => outcomeOf(inWorkspace(database, tenantId, (tx) => takeQuota(tx, tenantId, rule)));
    const calls = [1, 2, 3, 4, 5, 6].flatMap(() => [take(tenantId, rule), takeNarrow()]);
    expect((await Promise.all(calls)).filter((outcome) => outcome === 'taken')).toHaveLength(5);
  });

  it('is not used by a transaction that is rolled back, nor by looking', async () => {
    const tenantId = newId();
    const failing = database.transaction(tenantId, async (tx) => {
      await takeQuota(tx, tenantId, RULE);
      throw new Error('Something else failed');
    });
    await expect(failing).rejects.toThrow('Something else failed');
    for (let count = 0; count < 3; count += 1) await left(tenantId);
    expect([await take(tenantId), await take(tenantId)]).toEqual(['taken', 'taken']);
  });

  it('is full again in the next window', async () => {
    const tenantId = newId();
    await takeThrice(tenantId);
    const past = "UPDATE quota_use SET resets_at = now() - interval '1 second'";
    await database.transaction(tenantId, (tx) => tx.query(past));
    await left(tenantId);
    expect(await takeThrice(tenantId)).toEqual(['taken', 'taken', 'RATE_LIMITED']);
  });

  it('of nothing refuses the first use', async () => {
    expect(await take(newId(), { ...RULE, limit: 0 })).toBe('RATE_LIMITED');
  });
});
