import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { register } from 'prom-client';
import type { QueryRunner } from 'typeorm';
import {
  countDefaultPartition,
  createTenantTable,
  type Database,
  idOf,
  listPartitions,
  makePartition,
  newId,
  PartitionUpkeep,
  ServiceMigration,
} from '../src/index.js';
import { addDays, dayOf } from '../src/partitions/partitions.js';
import { type Fixture, gate, roles, startFixture } from './fixture.js';

class CreateTables1700000000000 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    for (const name of ['inbox', 'reading']) {
      await createTenantTable(runner, roles, {
        name,
        columns: 'id uuid NOT NULL, created_at timestamptz NOT NULL DEFAULT now()',
        partitionedBy: 'id',
      });
    }
  }
}

const NOW = Date.now();
const DAY_MS = 86_400_000;
const today = dayOf(NOW);
const daysFrom = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => addDays(today, from + index));

describe('the upkeep of partitions', () => {
  let fixture: Fixture;
  let database: Database;
  const tenant = newId();
  const going = new AbortController().signal;

  beforeEach(async () => {
    fixture = await startFixture({ migrations: [CreateTables1700000000000] });
    ({ database } = fixture);
    register.resetMetrics();
  });
  afterEach(() => fixture.drop());

  /** Upkeep at a moment so many days from now. */
  const upkeep = (days = 0, retention?: Record<string, number>) =>
    new PartitionUpkeep(database, { ...(retention && { retentionDays: retention }) }, () => NOW + days * DAY_MS);
  const daysOf = async (table: string): Promise<string[]> => {
    const tables = await database.crossTenant((tx) => listPartitions(tx));
    return tables.find((found) => found.table === table)?.days ?? [];
  };
  const make = async (table: string, days: readonly string[]): Promise<void> => {
    for (const day of days) await database.crossTenant((tx) => makePartition(tx, table, day));
  };
  const insert = (table: string, id: string): Promise<unknown> =>
    database.transaction(tenant, (tx) =>
      tx.query(`INSERT INTO ${table} (tenant_id, id) VALUES ($1, $2)`, [tenant, id]),
    );
  const metric = async (name: string, table: string): Promise<number | undefined> => {
    const values = (await register.getSingleMetric(name)?.get())?.values ?? [];
    return values.find(({ labels }) => labels.table === table)?.value;
  };

  it('makes fourteen days ahead, as time goes by, and fills the gap of a long stop', async () => {
    await upkeep().sweep(going);
    expect(await daysOf('reading')).toEqual(daysFrom(-1, 14));
    expect(await metric('partition_days_ahead', 'reading')).toBe(14);
    await upkeep().sweep(going);
    expect(await daysOf('reading')).toEqual(daysFrom(-1, 14));
    await upkeep(20, { inbox: 60 }).sweep(going);
    expect(await daysOf('reading')).toEqual(daysFrom(-1, 34));
    expect(await metric('partition_days_ahead', 'inbox')).toBe(14);
    expect(await metric('partition_upkeep_failures_total', 'reading')).toBeUndefined();
  });

  it('can be done by several replicas at once', async () => {
    // One that would have to wait too long for another leaves the rest to its next sweep.
    await Promise.allSettled([upkeep().sweep(going), upkeep().sweep(going), upkeep().sweep(going)]);
    await upkeep().sweep(going);
    expect(await daysOf('inbox')).toEqual(daysFrom(-1, 14));
    expect(await daysOf('reading')).toEqual(daysFrom(-1, 14));
  });

  it('drops the days whose retention is over, which is 15 days of the inbox and 30 of other tables', async () => {
    const old = [-32, -31, -30, -29, -17, -16, -15, -14].map((days) => addDays(today, days));
    for (const table of ['inbox', 'reading']) {
      await make(table, old);
      for (const day of old) await insert(table, idOf(Date.parse(day), 'x'));
    }
    await upkeep().sweep(going);
    expect(await daysOf('inbox')).toEqual(daysFrom(-15, 14));
    expect(await daysOf('reading')).toEqual(daysFrom(-30, 14));
    expect(await fixture.admin('SELECT count(*)::int AS rows FROM inbox')).toEqual([{ rows: 2 }]);
    expect(await fixture.admin('SELECT count(*)::int AS rows FROM reading')).toEqual([{ rows: 6 }]);
  });

  it('drops by the configured retention, and only what a check lets go', async () => {
    await make('reading', daysFrom(-6, -2));
    const careful = upkeep(0, { reading: 3 });
    careful.dropOnlyIf('reading', async (_tx, day) => day !== addDays(today, -5));
    await careful.sweep(going);
    expect(await daysOf('reading')).toEqual([addDays(today, -5), ...daysFrom(-3, 14)]);
    await upkeep(0, { reading: 3 }).sweep(going);
    expect(await daysOf('reading')).toEqual(daysFrom(-3, 14));
  });

  it('counts the rows of the default partition, sweeps them by age and then makes their day', async () => {
    const day = addDays(today, 5);
    await insert('reading', idOf(Date.parse(day), 'early'));
    await insert('reading', idOf(0, 'odd'));
    await upkeep().sweep(going);
    expect(await metric('partition_default_rows', 'reading')).toBe(2);
    expect(await metric('partition_default_rows', 'inbox')).toBe(0);
    expect(await daysOf('reading')).toEqual(daysFrom(-1, 14).filter((made) => made !== day));
    await fixture.admin("UPDATE reading SET created_at = now() - interval '31 days'");
    await upkeep().sweep(going);
    expect(await metric('partition_default_rows', 'reading')).toBe(0);
    await upkeep().sweep(going);
    expect(await daysOf('reading')).toEqual(daysFrom(-1, 14));
  });

  it('sweeps more than one batch', async () => {
    await fixture.admin(
      `INSERT INTO reading (tenant_id, id, created_at)
       SELECT $1, gen_random_uuid(), now() - interval '31 days' FROM generate_series(1, 2500)`,
      [tenant],
    );
    await upkeep().sweep(going);
    expect(await database.crossTenant((tx) => countDefaultPartition(tx, 'reading', 10))).toBe(0);
  });

  it('leaves a day that a long transaction reads to the next sweep, does all else and counts the failure', async () => {
    await make('inbox', daysFrom(-16, -16));
    await make('reading', daysFrom(-31, -31));
    const [reading, done] = [gate(), gate()];
    const reader = database.transaction(tenant, async (tx) => {
      await tx.query('SELECT count(*) FROM inbox');
      reading.open();
      await done.passed;
    });
    await reading.passed;
    const swept = upkeep();
    await expect(swept.sweep(going)).rejects.toThrow(AggregateError);
    expect((await daysOf('inbox'))[0]).toBe(addDays(today, -16));
    expect(await daysOf('reading')).toEqual(daysFrom(-30, 14));
    expect(await metric('partition_upkeep_failures_total', 'inbox')).toBeGreaterThan(0);
    done.open();
    await reader;
    await swept.sweep(going);
    expect(await daysOf('inbox')).toEqual(daysFrom(-15, 14));
  });

  it('does nothing more when the process ends', async () => {
    const stopping = new AbortController();
    stopping.abort();
    await upkeep().sweep(stopping.signal);
    expect(await daysOf('reading')).toEqual(daysFrom(-1, 2));
  });
});
