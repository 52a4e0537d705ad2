import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { QueryRunner } from 'typeorm';
import { IdempotencySweeper } from '../src/idempotency.js';
import {
  createIdempotencyTable,
  createTenantTable,
  IdempotencyService,
  type IdempotentCall,
  inWorkspace,
  newId,
  type Queryable,
  ServiceMigration,
} from '../src/index.js';
import { type Fixture, roles, startFixture } from './fixture.js';

let fixture: Fixture;
let call: IdempotentCall;
const idempotency = new IdempotencyService();

class CreateTables1700000000001 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, { name: 'thing', columns: 'id uuid NOT NULL' });
    await runner.query(`GRANT INSERT ON thing TO ${roles.narrowRole}`);
    await createIdempotencyTable(runner, roles, { narrowCreates: true });
  }
}

beforeAll(async () => {
  fixture = await startFixture({ migrations: [CreateTables1700000000001] });
});
afterAll(() => fixture?.drop());
beforeEach(() => {
  call = {
    tenantId: newId(),
    principalId: 'user',
    route: 'POST /things',
    key: 'k',
    body: { name: 'x', tags: [{ b: 1, a: 2 }] },
    keptHours: 24,
  };
});

const insert = async (tx: Queryable, tenantId: string): Promise<string> => {
  const id = newId();
  await tx.query('INSERT INTO thing (tenant_id, id) VALUES ($1, $2)', [tenantId, id]);
  return id;
};
const create = (changes: Partial<IdempotentCall> = {}) => {
  const changed = { ...call, ...changes };
  return fixture.database.transaction(changed.tenantId, (tx) =>
    idempotency.once(tx, changed, () => insert(tx, changed.tenantId)),
  );
};
const things = async (tenantId: string) =>
  (await fixture.admin('SELECT id FROM thing WHERE tenant_id = $1', [tenantId])).length;

describe('a creating call', () => {
  it('takes effect once, regardless of the order of members in its body', async () => {
    const first = await create();
    expect(first.repeated).toBe(false);
    const body = { tags: [{ a: 2, b: 1 }], name: 'x', description: undefined };
    expect(await create({ body })).toEqual({ recordId: first.recordId, repeated: true });
    expect(await things(call.tenantId)).toBe(1);
  });

  it('is refused when the same key comes with another body', async () => {
    await create();
    for (const body of [{ name: 'y' }, {}, null, { name: 'x', tags: [{ b: '1', a: 2 }] }]) {
      await expect(create({ body })).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    }
    expect(await things(call.tenantId)).toBe(1);
  });

  it.each<[string, () => Partial<IdempotentCall>]>([
    ['key', () => ({ key: 'other' })],
    ['route', () => ({ route: 'POST /others' })],
    ['principal', () => ({ principalId: 'somebody else' })],
    ['tenant', () => ({ tenantId: newId() })],
  ])('with another %s is another call', async (_what, changes) => {
    const first = await create();
    const second = await create(changes());
    expect(second.repeated).toBe(false);
    expect(second.recordId).not.toBe(first.recordId);
  });

  it('is refused while the first call runs, and accepted again after the first call failed', async () => {
    const failing = fixture.database.transaction(call.tenantId, (tx) =>
      idempotency.once(tx, call, async () => {
        await insert(tx, call.tenantId);
        await expect(create()).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_IN_USE' });
        throw new Error('the creation fails at the end');
      }),
    );
    await expect(failing).rejects.toThrow('fails at the end');
    expect((await create()).repeated).toBe(false);
    expect(await things(call.tenantId)).toBe(1);
  });

  it('takes effect once when it is made many times concurrently', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => create()));
    const ids = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.recordId] : []));
    expect(new Set(ids).size).toBe(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'IDEMPOTENCY_KEY_IN_USE' });
    }
    expect(await things(call.tenantId)).toBe(1);
  });

  it('can be made by the narrow role in the context of its tenant and nowhere else', async () => {
    const { database } = fixture;
    const first = await inWorkspace(database, call.tenantId, (tx) =>
      idempotency.once(tx, call, () => insert(tx, call.tenantId)),
    );
    expect(await create()).toEqual({ recordId: first.recordId, repeated: true });
    const elsewhere = inWorkspace(database, newId(), (tx) =>
      idempotency.once(tx, { ...call, key: 'elsewhere' }, async () => newId()),
    );
    await expect(elsewhere).rejects.toThrow(/row-level security/);
  });

  it('can be found by its key before it is repeated', async () => {
    const find = (changes: Partial<IdempotentCall> = {}) =>
      fixture.database.transaction(call.tenantId, (tx) => idempotency.findRecordId(tx, { ...call, ...changes }));
    expect(await find()).toBeNull();
    const { recordId } = await create();
    expect(await find()).toBe(recordId);
    await expect(find({ body: 1 })).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  it('is forgotten after it has expired', async () => {
    const first = await create();
    const expire = "UPDATE idempotency SET expires_at = now() - interval '1 second' WHERE tenant_id = $1";
    await fixture.admin(expire, [call.tenantId]);
    const second = await create({ body: 'another' });
    expect(second.repeated).toBe(false);
    expect(second.recordId).not.toBe(first.recordId);
    expect(await create({ body: 'another' })).toEqual({ recordId: second.recordId, repeated: true });
  });
});

describe('the idempotency table', () => {
  it('is isolated by tenant', async () => {
    expect(await fixture.problems([])).toEqual([]);
  });

  it('stores neither the body nor the answer', async () => {
    await create({ body: { name: 'confidential' } });
    const stored = 'SELECT idempotency::text AS row FROM idempotency WHERE tenant_id = $1';
    const rows = await fixture.admin(stored, [call.tenantId]);
    expect(JSON.stringify(rows)).not.toContain('confidential');
  });

  it('is cleared of expired rows in every tenant by the sweeper', async () => {
    await create();
    await create({ tenantId: newId(), keptHours: 0 });
    await create({ tenantId: newId(), keptHours: 0 });
    await new IdempotencySweeper(fixture.database).sweep();
    const rows = await fixture.admin<{ tenant_id: string }>(
      'SELECT tenant_id FROM idempotency WHERE expires_at <= now() OR tenant_id = $1',
      [call.tenantId],
    );
    expect(rows).toEqual([{ tenant_id: call.tenantId }]);
  });

  it('is cleared of many expired rows in several transactions', async () => {
    await fixture.admin(
      `INSERT INTO idempotency (tenant_id, principal_id, route, key, body_hash, record_id, expires_at)
       SELECT $1, 'user', 'POST /things', n, '', $1, now() - n * interval '1 ms' FROM generate_series(1, 12000) AS n`,
      [newId()],
    );
    const transactions = jest.spyOn(fixture.database, 'crossTenant');
    await new IdempotencySweeper(fixture.database).sweep();
    // Two full ones, the rest, and one that finds nothing.
    expect(transactions).toHaveBeenCalledTimes(4);
    expect(await fixture.admin('SELECT FROM idempotency WHERE expires_at <= now()')).toEqual([]);
  });
});
