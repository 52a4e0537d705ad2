import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { register } from 'prom-client';
import { DueWorkMeter, measureDueWork, newId } from '../src/index.js';
import { type Fixture, gate, startFixture } from './fixture.js';

/** Milliseconds after which an attempt to connect is abandoned. */
const CONNECT_TIMEOUT_MS = 5_000;

describe('the metrics of a database', () => {
  let fixture: Fixture;
  const tenant = newId();
  beforeAll(async () => {
    fixture = await startFixture({ poolSize: 2, connectTimeoutMs: CONNECT_TIMEOUT_MS });
  });
  afterAll(() => fixture.drop());

  const value = async (name: string, labels: Record<string, string>): Promise<number | undefined> => {
    const { values = [] } = (await register.getSingleMetric(name)?.get()) ?? {};
    return values.find((one) => Object.entries(labels).every(([label, expected]) => one.labels[label] === expected))
      ?.value;
  };

  it('show how a pool is used, and who waits', async () => {
    const runtime = (state: string) => value('database_pool_connections', { pool: 'runtime', state });
    const [entered, leave] = [[gate(), gate()], gate()];
    const holding = entered.map((inside) =>
      fixture.database.transaction(tenant, async (tx) => {
        await tx.query('SELECT 1');
        inside.open();
        await leave.passed;
      }),
    );
    await Promise.all(entered.map((inside) => inside.passed));
    const waiting = fixture.database.transaction(tenant, (tx) => tx.query('SELECT 1'));
    expect([await runtime('in_use'), await runtime('idle')]).toEqual([2, 0]);
    expect(await value('database_pool_size', { pool: 'runtime' })).toBe(2);
    expect(await value('database_pool_waiting', { pool: 'runtime' })).toBe(1);
    expect(await value('database_pool_waiting', { pool: 'narrow' })).toBe(0);
    leave.open();
    await Promise.all([...holding, waiting]);
    expect([await runtime('in_use'), await runtime('idle')]).toEqual([0, 2]);
    expect(await value('database_pool_waiting', { pool: 'runtime' })).toBe(0);
  });

  it('end with the database', async () => {
    const other = await startFixture({ poolSize: 7 });
    expect(await value('database_pool_size', { pool: 'runtime' })).toBe(9);
    await other.drop();
    expect(await value('database_pool_size', { pool: 'runtime' })).toBe(2);
  });

  it('say how much work is due, and since when', async () => {
    await fixture.admin('CREATE TABLE chore (due_at timestamptz NOT NULL, held boolean NOT NULL)');
    await fixture.admin('GRANT SELECT ON chore TO libtest_narrow');
    const meter = new DueWorkMeter(fixture.database, 'chores', measureDueWork('chore', 'due_at', 'NOT held'));
    const measured = async () => {
      await meter.sweep();
      return [
        await value('due_work_items', { queue: 'chores' }),
        await value('due_work_oldest_seconds', { queue: 'chores' }),
      ];
    };
    expect(await measured()).toEqual([0, 0]);
    await fixture.admin(`INSERT INTO chore VALUES (now() - interval '100 s', false), (now() - interval '5 s', false),
      (now() - interval '900 s', true), (now() + interval '1 h', false)`);
    const [items, oldest] = await measured();
    expect(items).toBe(2);
    expect(oldest).toBeGreaterThanOrEqual(100);
    expect(oldest).toBeLessThan(400);
    await fixture.admin('UPDATE chore SET held = true');
    expect(await measured()).toEqual([0, 0]);
  });

  it('count no more than the limit', async () => {
    await fixture.admin('CREATE TABLE many (due_at timestamptz NOT NULL)');
    await fixture.admin('GRANT SELECT ON many TO libtest_narrow');
    await fixture.admin("INSERT INTO many SELECT now() - interval '1 s' FROM generate_series(1, 10050)");
    await new DueWorkMeter(fixture.database, 'many', measureDueWork('many', 'due_at')).sweep();
    expect(await value('due_work_items', { queue: 'many' })).toBe(10_000);
  });
});
