import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { QueryRunner } from 'typeorm';
import {
  countDefaultPartition,
  createTenantTable,
  dropPartition,
  idOf,
  listPartitions,
  makePartition,
  newId,
  ServiceMigration,
  sweepDefaultPartition,
} from '../src/index.js';
import { addDays, dayOf } from '../src/partitions/partitions.js';
import { type Fixture, gate, roles, startFixture } from './fixture.js';

class CreateReadings1700000000000 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, {
      name: 'reading',
      columns: `id uuid NOT NULL, seq bigint GENERATED ALWAYS AS IDENTITY, value integer NOT NULL DEFAULT 7,
        created_at timestamptz NOT NULL DEFAULT now()`,
      unique: [['value', 'id']],
      indexes: [{ columns: 'value', where: 'value > 10', tenantFirst: false }],
      partitionedBy: 'id',
      storage: 'fillfactor = 90, toast_tuple_target = 8160',
      narrow: ['select'],
    });
    await createTenantTable(runner, roles, { name: 'note', columns: 'id uuid NOT NULL' });
  }
}

const today = dayOf(Date.now());
const partitionName = (day: string): string => `reading_p${day.replaceAll('-', '')}`;
/** An id of a moment of that day, different for each part. */
const idOn = (day: string, part = 'x', ms = 1): string => idOf(Date.parse(day) + ms, part);

describe('a table in partitions by day', () => {
  let fixture: Fixture;
  const tenant = newId();
  const other = newId();

  beforeAll(async () => {
    fixture = await startFixture({ migrations: [CreateReadings1700000000000] });
  });
  afterAll(() => fixture.drop());

  const insert = (id: string, of = tenant): Promise<unknown> =>
    fixture.database.transaction(of, (tx) => tx.query('INSERT INTO reading (tenant_id, id) VALUES ($1, $2)', [of, id]));
  const partitionOf = async (id: string): Promise<string | undefined> => {
    const [row] = await fixture.admin<{ partition: string }>(
      'SELECT tableoid::regclass::text AS partition FROM reading WHERE id = $1',
      [id],
    );
    return row?.partition;
  };
  const narrow = <T>(work: Parameters<Fixture['database']['crossTenant']>[0]): Promise<T> =>
    fixture.database.crossTenant(work) as Promise<T>;
  const make = (day: string) => narrow<string>((tx) => makePartition(tx, 'reading', day));
  const drop = (day: string) => narrow<string>((tx) => dropPartition(tx, 'reading', day));

  it('has yesterday, today and two days more after the migration', async () => {
    expect(await narrow((tx) => listPartitions(tx))).toEqual([
      { table: 'reading', days: [-1, 0, 1, 2].map((days) => addDays(today, days)) },
    ]);
  });

  it('puts a row into the partition of the day of its id, from its first to its last millisecond', async () => {
    const tomorrow = addDays(today, 1);
    for (const [ms, day] of [
      [Date.parse(today), today],
      [Date.parse(tomorrow) - 1, today],
      [Date.parse(tomorrow), tomorrow],
    ] as const) {
      const id = idOf(ms, 'a');
      await insert(id);
      expect(await partitionOf(id)).toBe(partitionName(day));
    }
  });

  it.each([
    ['of a day without a partition', idOn('2001-02-03')],
    ['that is not of version 7', '9f3c7a52-5b3e-4c1a-9d1e-3a4b5c6d7e8f'],
    ['of all zeros', '00000000-0000-0000-0000-000000000000'],
    ['of all ones', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  ])('puts an id %s into the default partition', async (_name, id) => {
    await insert(id);
    expect(await partitionOf(id)).toBe('reading_default');
  });

  it('has the defaults, the identity, the indexes and the storage of the table in each partition', async () => {
    const ids = [idOn(today, 'like'), idOn(addDays(today, 1), 'like'), idOn('1999-01-01', 'like')];
    for (const id of ids) await insert(id);
    const rows = await fixture.admin<{ seq: string; value: number }>(
      'SELECT seq, value FROM reading WHERE id = ANY ($1) ORDER BY seq',
      [ids],
    );
    expect(rows.map((row) => row.value)).toEqual([7, 7, 7]);
    expect(new Set(rows.map((row) => row.seq)).size).toBe(3);
    const shapes = await fixture.admin<{ partition: string; options: string; indexes: number }>(
      `SELECT c.relname AS partition, c.reloptions::text AS options,
              (SELECT count(*)::int FROM pg_index i WHERE i.indrelid = c.oid) AS indexes
         FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid WHERE h.inhparent = 'reading'::regclass`,
    );
    expect(shapes).toHaveLength(5);
    for (const { partition, options, indexes } of shapes) {
      expect(options).toBe('{fillfactor=90,toast_tuple_target=8160}');
      expect([partition, indexes]).toEqual([partition, partition === 'reading_default' ? 4 : 3]);
    }
  });

  it('reads and writes one partition by primary key, also with a plan that knows no value', async () => {
    await fixture.database.transaction(tenant, async (tx) => {
      await tx.query('SET LOCAL plan_cache_mode = force_generic_plan');
      await tx.query('SET LOCAL enable_seqscan = off');
      for (const [name, statement] of [
        ['by_key', 'SELECT value FROM reading WHERE tenant_id = $1 AND id = $2'],
        ['set_by_key', 'UPDATE reading SET value = 8 WHERE tenant_id = $1 AND id = $2'],
        ['delete_by_key', 'DELETE FROM reading WHERE tenant_id = $1 AND id = $2'],
      ] as const) {
        await tx.query(`PREPARE ${name} (uuid, uuid) AS ${statement}`);
        const rows = await tx.query<{ 'QUERY PLAN': string }>(
          `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE ${name} ('${tenant}', '${idOn(today, 'plan')}')`,
        );
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        expect(plan).toMatch(/Subplans Removed: [1-9]/);
        expect(plan.match(/Index Scan using \w+/g)).toEqual([`Index Scan using ${partitionName(today)}_pkey`]);
        await tx.query(`DEALLOCATE ${name}`);
      }
    });
  });

  it('keeps an id single within its tenant', async () => {
    const id = idOn(today, 'single');
    await insert(id);
    await expect(insert(id)).rejects.toThrow(/duplicate key/);
    await insert(id, other);
  });

  describe('isolates', () => {
    it('shows a tenant its own rows only and refuses to write those of another, through the table', async () => {
      await insert(idOn(today, 'mine'));
      await insert(idOn(today, 'theirs'), other);
      for (const id of [tenant, other]) {
        const tenants = 'SELECT DISTINCT tenant_id AS id FROM reading';
        expect(await fixture.database.transaction(id, (tx) => tx.query(tenants))).toEqual([{ id }]);
      }
      const write = fixture.database.transaction(tenant, (tx) =>
        tx.query('INSERT INTO reading (tenant_id, id) VALUES ($1, $2)', [other, idOn(today, 'foreign')]),
      );
      await expect(write).rejects.toThrow(/row-level security/);
    });

    it.each(['SELECT count(*) FROM', 'DELETE FROM', 'TRUNCATE', 'DROP TABLE'])(
      'lets neither role touch a partition: %s',
      async (command) => {
        for (const partition of [partitionName(today), partitionName(addDays(today, 1)), 'reading_default']) {
          const sql = `${command} ${partition}`;
          const refused = /permission denied|must be owner/;
          await expect(fixture.database.transaction(tenant, (tx) => tx.query(sql))).rejects.toThrow(refused);
          await expect(narrow((tx) => tx.query(sql))).rejects.toThrow(refused);
        }
      },
    );

    it('lets only the narrow role call the functions, and no role make a partition itself', async () => {
      for (const call of [
        `make_partition('reading', '${today}')`,
        `drop_partition('reading', '${today}')`,
        "sweep_default_partition('reading', 1, 1)",
        "count_default_partition('reading', 1)",
      ]) {
        const runtime = fixture.database.transaction(tenant, (tx) => tx.query(`SELECT ${call}`));
        await expect(runtime).rejects.toThrow(/permission denied for function/);
      }
      const define = narrow((tx) => tx.query('CREATE TABLE mine (LIKE reading)'));
      await expect(define).rejects.toThrow(/permission denied/);
    });

    it('passes the check of the catalogue, which finds what opens a partition', async () => {
      expect(await fixture.problems([])).toEqual([]);
      const partition = partitionName(today);
      for (const [open, problem] of [
        [`GRANT SELECT ON ${partition} TO ${roles.narrowRole}`, /is granted to libtest_narrow/],
        [`ALTER TABLE ${partition} NO FORCE ROW LEVEL SECURITY`, /does not force/],
        ['ALTER TABLE reading_default DISABLE ROW LEVEL SECURITY', /has no row-level security/],
        [`CREATE POLICY open ON ${partition} USING (true)`, /has a policy open/],
        [`CREATE POLICY open ON reading_default FOR SELECT TO ${roles.narrowRole} USING (true)`, /has a policy open/],
        [`GRANT EXECUTE ON FUNCTION drop_partition TO ${roles.runtimeRole}`, /can be called by libtest_runtime/],
        [
          `CREATE FUNCTION make_partition(day date) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
             SET search_path = pg_catalog, pg_temp AS 'BEGIN RETURN true; END';
           REVOKE ALL ON FUNCTION make_partition(date) FROM PUBLIC`,
          /make_partition does not take the tenant/,
        ],
      ] as const) {
        expect((await fixture.problems([], open)).join('\n')).toMatch(problem);
      }
      expect(await fixture.problems([])).toEqual([]);
    });
  });

  describe('turns', () => {
    it('makes a day ahead once, also when several ask at once', async () => {
      const day = addDays(today, 14);
      const outcomes = await Promise.all([make(day), make(day), make(day), make(day)]);
      expect(outcomes.filter((outcome) => outcome === 'made')).toHaveLength(1);
      for (const outcome of outcomes) expect(['made', 'present', 'busy']).toContain(outcome);
      const id = idOn(day);
      await insert(id);
      expect(await partitionOf(id)).toBe(partitionName(day));
    });

    it('leaves a day in the default partition when that has rows of it, and makes it when they are swept', async () => {
      const day = addDays(today, 20);
      const id = idOn(day);
      await insert(id);
      expect(await make(day)).toBe('default');
      expect(await partitionOf(id)).toBe('reading_default');
      await fixture.admin('DELETE FROM reading WHERE id = $1', [id]);
      expect(await make(day)).toBe('made');
    });

    it('makes a day while transactions that have written and read are open', async () => {
      const day = addDays(today, 15);
      await fixture.database.transaction(tenant, async (tx) => {
        await tx.query('INSERT INTO reading (tenant_id, id) VALUES ($1, $2)', [tenant, idOn(today, 'open')]);
        await tx.query('SELECT value FROM reading WHERE tenant_id = $1 AND id = $2', [tenant, idOn(today, 'open')]);
        expect(await make(day)).toBe('made');
      });
    });

    it('drops a day with its rows, once no reader holds the table, and lets others read meanwhile', async () => {
      const day = addDays(today, -4);
      await make(day);
      await insert(idOn(day, 'read'));
      const [reading, done] = [gate(), gate()];
      const reader = fixture.database.transaction(tenant, async (tx) => {
        await tx.query('SELECT count(*) FROM reading');
        reading.open();
        await done.passed;
        return tx.query('SELECT count(*)::int AS rows FROM reading WHERE id = $1', [idOn(day, 'read')]);
      });
      await reading.passed;
      const refused = expect(drop(day)).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        cause: { code: '55P03' },
      });
      // Comes while the drop waits for its lock, and is served although the first reader still holds the table.
      await insert(idOn(today, 'meanwhile'));
      await refused;
      done.open();
      expect(await reader).toEqual([{ rows: 1 }]);
      expect([await drop(day), await drop(day)]).toEqual(['dropped', 'absent']);
      expect(await partitionOf(idOn(day, 'read'))).toBeUndefined();
      expect(await fixture.admin('SELECT to_regclass($1) AS gone', [partitionName(day)])).toEqual([{ gone: null }]);
    });
  });

  it('counts the rows of the default partition and sweeps them by their arrival, whatever their ids say', async () => {
    await fixture.admin("DELETE FROM reading WHERE tableoid = 'reading_default'::regclass");
    const [old, fresh] = [idOf(2 ** 48 - 1, 'far ahead'), idOf(0, 'long ago')];
    await insert(old);
    await insert(fresh, other);
    await fixture.admin("UPDATE reading SET created_at = now() - interval '31 days' WHERE id = $1", [old]);
    expect(await narrow((tx) => countDefaultPartition(tx, 'reading', 10))).toBe(2);
    expect(await narrow((tx) => countDefaultPartition(tx, 'reading', 1))).toBe(1);
    expect(await narrow((tx) => sweepDefaultPartition(tx, 'reading', 30, 10))).toBe(1);
    expect(await narrow((tx) => sweepDefaultPartition(tx, 'reading', 30, 10))).toBe(0);
    expect(await partitionOf(old)).toBeUndefined();
    expect(await partitionOf(fresh)).toBe('reading_default');
  });

  it.each(['note', 'nothing', 'reading_default', 'pg_class', 'reading; DROP TABLE note', 'public.reading', ''])(
    'changes nothing of a table that is not partitioned by day: "%s"',
    async (table) => {
      const refused = { code: '42P01' };
      await expect(narrow((tx) => makePartition(tx, table, today))).rejects.toMatchObject(refused);
      await expect(narrow((tx) => dropPartition(tx, table, '2020-01-01'))).rejects.toMatchObject(refused);
      await expect(narrow((tx) => sweepDefaultPartition(tx, table, 1, 1))).rejects.toMatchObject(refused);
      await expect(narrow((tx) => countDefaultPartition(tx, table, 1))).rejects.toMatchObject(refused);
    },
  );

  it('drops neither yesterday nor later days, and makes none far from today', async () => {
    const refused = { code: '22023' };
    for (const days of [-1, 0, 1]) await expect(drop(addDays(today, days))).rejects.toMatchObject(refused);
    for (const days of [-401, 61]) await expect(make(addDays(today, days))).rejects.toMatchObject(refused);
    await expect(narrow((tx) => sweepDefaultPartition(tx, 'reading', 0, 1))).rejects.toMatchObject(refused);
  });
});

describe('createTenantTable', () => {
  const columns = 'id uuid NOT NULL, name text, created_at timestamptz';
  it.each([
    [
      'a primary key without the column',
      { columns, primaryKey: ['name'], partitionedBy: 'id' },
      /key \(name\) needs id/,
    ],
    ['a unique key without it', { columns, unique: [['name']], partitionedBy: 'id' }, /key \(name\) needs id/],
    [
      'references from a partitioned table',
      { columns, references: [{ columns: ['name'], table: 'note' }], partitionedBy: 'id' },
      /would lock/,
    ],
    ['an arrival without partitions', { columns, arrival: 'created_at' }, /arrival is for/],
    ['a name that leaves no space', { name: 'a'.repeat(50), columns, partitionedBy: 'id' }, /at most 63/],
  ])('refuses %s', async (_name, table, expected) => {
    const runner = { query: () => Promise.reject(new Error('must not get here')) } as unknown as QueryRunner;
    await expect(createTenantTable(runner, roles, { name: 'bad', ...table })).rejects.toThrow(expected);
  });

  it.each([
    [
      'a reference to a partitioned table',
      { columns: 'id uuid NOT NULL, reading_id uuid', references: [{ columns: ['reading_id'], table: 'reading' }] },
      /reading is partitioned/,
    ],
    [
      'a column that is no UUID',
      { columns: 'id text NOT NULL, created_at timestamptz', partitionedBy: 'id' },
      /no table bad is partitioned by day/,
    ],
    ['an arrival that does not exist', { columns, partitionedBy: 'id', arrival: 'came_at' }, /came_at/],
  ])('refuses %s when it meets the database', async (_name, table, expected) => {
    class Bad1700000000001 extends ServiceMigration {
      async up(runner: QueryRunner): Promise<void> {
        await createTenantTable(runner, roles, { name: 'bad', ...table });
      }
    }
    const started = startFixture({ migrations: [CreateReadings1700000000000, Bad1700000000001] });
    await expect(started).rejects.toThrow(expected);
  });
});
