import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import {
  catalogueProblems,
  createGlobalTable,
  createTenantTable,
  Database,
  newId,
  PLAN_FOR_VALUES,
  provisionDatabase,
  runMigrations,
  ServiceMigration,
  TENANT_OF_STATEMENT,
} from '../src/index.js';
import { CreateTables1700000000000, type Fixture, roles, startFixture } from './fixture.js';

const GLOBALS = ['listing', 'outbox_position'].map((table) => ({ table, role: 'narrow' as const, why: 'a test' }));

class CreateMore1700000000001 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createGlobalTable(runner, roles, {
      name: 'listing',
      columns: 'key text NOT NULL, title text NOT NULL',
      primaryKey: ['key'],
      unique: [['title']],
      role: 'narrow',
    });
    await createTenantTable(runner, roles, {
      name: 'comment',
      columns: 'id uuid NOT NULL, note_id uuid NOT NULL, due_at timestamptz',
      references: [{ columns: ['note_id'], table: 'note', onDelete: 'cascade' }],
      indexes: [{ columns: 'due_at', tenantFirst: false }],
      narrow: ['select'],
      grants: ['select', 'insert'],
    });
    await createTenantTable(runner, roles, { name: 'reading', columns: 'id uuid NOT NULL, n integer' });
  }
}

describe('isolation', () => {
  let fixture: Fixture;
  const a = newId();
  const b = newId();
  const as = async <Row extends pg.QueryResultRow>(url: string, ...statements: string[]): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      let rows: Row[] = [];
      for (const statement of statements) rows = (await client.query<Row>(statement)).rows;
      return rows;
    } finally {
      await client.end();
    }
  };
  beforeAll(async () => {
    fixture = await startFixture({ migrations: [CreateTables1700000000000, CreateMore1700000000001] });
    for (const tenant of [a, b]) {
      await fixture.database.transaction(tenant, async (tx) => {
        const id = newId();
        await tx.query("INSERT INTO note (tenant_id, id, text) VALUES ($1, $2, 'n')", [tenant, id]);
        await tx.query('INSERT INTO comment (tenant_id, id, note_id) VALUES ($1, $2, $3)', [tenant, newId(), id]);
        await tx.query('INSERT INTO reading (tenant_id, id, n) VALUES ($1, $2, 1)', [tenant, newId()]);
      });
    }
    await fixture.database.crossTenant((tx) => tx.query("INSERT INTO listing (key, title) VALUES ('k', 't')"));
  });
  afterAll(() => fixture.drop());

  const context = (tenant: string) => ['BEGIN', `SET LOCAL app.tenant_id = '${tenant}'`];

  // How many of the two tenants' rows each role sees; null: permission denied.
  it.each<[role: 'runtime' | 'narrow' | 'owner', table: string, tenant: 'none' | 'emptied' | 'a', rows: number | null]>(
    [
      ['runtime', 'note', 'none', 0],
      ['runtime', 'note', 'emptied', 0],
      ['runtime', 'note', 'a', 1],
      ['runtime', 'reading', 'none', 0],
      ['runtime', 'reading', 'a', 1],
      ['runtime', 'listing', 'a', null],
      ['runtime', 'outbox', 'a', null],
      ['runtime', 'migrations', 'a', null],
      ['narrow', 'note', 'none', null],
      ['narrow', 'note', 'a', null],
      ['narrow', 'comment', 'none', 2],
      ['narrow', 'listing', 'none', 1],
      ['narrow', 'outbox', 'none', 0],
      ['owner', 'note', 'none', 0],
      ['owner', 'note', 'emptied', 0],
      ['owner', 'note', 'a', 1],
      ['owner', 'listing', 'none', 0],
    ],
  )('%s on %s with context %s', async (role, table, tenant, rows) => {
    const setup = tenant === 'none' ? [] : context(tenant === 'a' ? a : '');
    const count = as<{ count: string }>(fixture[`${role}Url`], ...setup, `SELECT count(*) FROM ${table}`);
    if (rows === null) await expect(count).rejects.toThrow(/permission denied/);
    else expect(Number((await count)[0]?.count)).toBe(rows);
  });

  it.each(['UPDATE note SET rank = 1', 'DELETE FROM note'])('touches nothing without a context: %s', async (sql) => {
    await as(fixture.runtimeUrl, sql);
    const untouched = await fixture.admin('SELECT 1 FROM note WHERE rank = 0');
    expect(untouched).toHaveLength(2);
  });

  describe('a statement that sets its tenant itself', () => {
    const notesOf = (where: string) => `
      SELECT tenant.id AS "asTenant", note.tenant_id AS "tenantId"
        FROM ${TENANT_OF_STATEMENT}
        LEFT JOIN LATERAL (SELECT tenant_id FROM note WHERE ${where} OFFSET 0) AS note ON true`;

    it("reads its tenant's rows in any plan, also when it asks for those of others", async () => {
      for (const tenant of [a, b]) {
        const own = { asTenant: tenant, tenantId: tenant };
        const named = notesOf('tenant_id = $1::uuid AND tenant.id IS NOT NULL');
        expect(await fixture.database.read(tenant, named, [])).toEqual([own]);
        const anywhere = fixture.database.read(tenant, notesOf('tenant.id IS NOT NULL'), []);
        // A cluster refuses what cannot be run on the node of the tenant.
        if (roles.distributed) await expect(anywhere).rejects.toThrow('cannot perform a lateral outer join');
        else expect(await anywhere).toEqual([own]);
        const foreign = notesOf('tenant_id = $2::uuid AND tenant.id IS NOT NULL');
        expect(await fixture.database.read(tenant, foreign, [tenant === a ? b : a])).toEqual([
          { ...own, tenantId: null },
        ]);
      }
    });

    it('leaves no tenant behind on its connection, also when it fails', async () => {
      const failing = `SELECT 1 / (tenant.id IS NULL)::int FROM ${TENANT_OF_STATEMENT}`;
      await Promise.all(
        Array.from({ length: 20 }, () =>
          expect(fixture.database.read(a, failing, [])).rejects.toThrow('division by zero'),
        ),
      );
      const setting = `SELECT NULLIF(current_setting('app.tenant_id', true), '') AS tenant, $1::text AS "named"`;
      const rows = await Promise.all(Array.from({ length: 20 }, () => fixture.database.read(a, setting, [])));
      expect(rows.flat()).toEqual(Array.from({ length: 20 }, () => ({ tenant: null, named: a })));
    });

    it('needs the id of a tenant', async () => {
      await expect(fixture.database.read('nobody', notesOf('true'), [])).rejects.toThrow('a UUID');
    });
  });

  describe('a statement of the narrow role by itself', () => {
    it('is committed when it resolves, and has no part in others', async () => {
      const insert = 'INSERT INTO listing (key, title) VALUES ($1, $1) RETURNING key';
      const calls = ['one', 'two', 'one', 'three'].map((key) => fixture.database.crossTenantStatement(insert, [key]));
      const outcomes = await Promise.allSettled(calls);
      expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([
        { status: 'rejected', reason: expect.objectContaining({ code: '23505' }) },
      ]);
      const keys = `SELECT key FROM listing WHERE key = ANY ($1) ORDER BY key`;
      const rows = await fixture.database.crossTenantStatement(keys, [['one', 'two', 'three']]);
      expect(rows).toEqual([{ key: 'one' }, { key: 'three' }, { key: 'two' }]);
    });

    it('sees no rows of tenants that are not opened to the role', async () => {
      await expect(fixture.database.crossTenantStatement('SELECT 1 FROM note', [])).rejects.toThrow(
        'permission denied',
      );
    });

    it.each([
      [undefined, 'auto'],
      // A cluster plans for the node of the tenant.
      [true, roles.distributed ? 'auto' : 'force_generic_plan'],
    ] as const)('has generic plans as the configuration says: %s', async (genericPlans, expected) => {
      const database = new Database({ ...fixture.database.config, ...(genericPlans && { genericPlans }) });
      try {
        const mode = "SELECT current_setting('plan_cache_mode') AS mode";
        expect(await database.crossTenantStatement(mode, [])).toEqual([{ mode: expected }]);
        expect(await database.transaction(a, (tx) => tx.query(mode))).toEqual([{ mode: expected }]);
        const planned = database.transaction(a, async (tx) => {
          tx.issue(PLAN_FOR_VALUES, []);
          return tx.query(mode);
        });
        expect(await planned).toEqual([{ mode: 'force_custom_plan' }]);
        expect(await database.transaction(a, (tx) => tx.query(mode))).toEqual([{ mode: expected }]);
      } finally {
        await database.close();
      }
    });
  });

  it('refuses an insert without a context', async () => {
    const insert = as(fixture.runtimeUrl, `INSERT INTO note (tenant_id, id, text) VALUES ('${a}', '${newId()}', 'x')`);
    await expect(insert).rejects.toThrow(/row-level security/);
  });

  it.each<[string, string, (foreign: string) => unknown[], RegExp]>([
    [
      'a row of another tenant',
      "INSERT INTO note (tenant_id, id, text) VALUES ($1, $2, 'planted')",
      () => [b, newId()],
      /row-level security/,
    ],
    [
      'to move a row to another tenant',
      'UPDATE note SET tenant_id = $1',
      () => [b],
      /row-level security|modifying the partition value/,
    ],
    [
      'a reference to a row of another tenant',
      'INSERT INTO comment (tenant_id, id, note_id) VALUES ($1, $2, $3)',
      (foreign) => [a, newId(), foreign],
      /comment_note_id_fkey/,
    ],
    ['what was not granted', 'DELETE FROM comment', () => [], /permission denied/],
  ])('refuses %s', async (_what, sql, parameters, problem) => {
    const [foreign] = await fixture.admin<{ id: string }>('SELECT id FROM note WHERE tenant_id = $1', [b]);
    const refused = fixture.database.transaction(a, (tx) => tx.query(sql, parameters(foreign?.id ?? '')));
    await expect(refused).rejects.toThrow(problem);
  });

  it('keeps other roles of the server out of the database', async () => {
    await fixture.admin(
      "DO $$ BEGIN CREATE ROLE libtest_stranger LOGIN PASSWORD 'x'; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
    );
    const url = new URL(fixture.runtimeUrl);
    url.username = 'libtest_stranger';
    url.password = 'x';
    await expect(as(url.toString(), 'SELECT 1')).rejects.toThrow(/permission denied for database/);
  });

  it('finds no problem in a database created with the helpers, also as the narrow role', async () => {
    expect(await fixture.problems(GLOBALS)).toEqual([]);
    expect(await fixture.database.crossTenant((tx) => catalogueProblems(tx, GLOBALS))).toEqual([]);
  });

  it.each([
    ['a table without the tenant', 'CREATE TABLE loose (id uuid PRIMARY KEY)', /loose has no row-level security/],
    ['unforced security', 'ALTER TABLE note NO FORCE ROW LEVEL SECURITY', /note does not force/],
    ['security switched off', 'ALTER TABLE note DISABLE ROW LEVEL SECURITY', /note has no row-level security/],
    ['a second policy', 'CREATE POLICY open ON note USING (true)', /the policy open opens it/],
    [
      'a policy for writing by the owner',
      'CREATE POLICY open ON note TO libtest_owner USING (true)',
      /the policy open opens/,
    ],
    [
      "a function with its owner's rights that anyone can call",
      `CREATE FUNCTION peek() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
       AS 'SELECT count(*) FROM public.note WHERE tenant_id::text = current_setting(''app.tenant_id'', true)'`,
      /^the function peek can be called by PUBLIC$/,
    ],
    [
      "a function with its owner's rights that reads every tenant",
      `CREATE FUNCTION peek() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
       AS 'SELECT count(*) FROM public.note'; REVOKE ALL ON FUNCTION peek FROM PUBLIC`,
      /^the function peek does not take the tenant from the session$/,
    ],
    [
      "a function with its owner's rights that the caller's search_path can divert",
      `CREATE FUNCTION peek() RETURNS text LANGUAGE sql SECURITY DEFINER
       AS 'SELECT current_setting(''app.tenant_id'', true)'; REVOKE ALL ON FUNCTION peek FROM PUBLIC`,
      /^the function peek has no fixed search_path$/,
    ],
    ['another condition', 'ALTER POLICY tenant_isolation ON note USING (true)', /note has no policy tenant_isolation/],
    ['no policy', 'DROP POLICY tenant_isolation ON note', /note has no policy tenant_isolation/],
    ['a grant to everybody', 'GRANT SELECT ON note TO PUBLIC', /note is granted to PUBLIC/],
    [
      'a global table granted to another role',
      'GRANT SELECT ON listing TO libtest_runtime',
      /listing is granted to libtest_runtime/,
    ],
    ['a materialised copy', 'CREATE MATERIALIZED VIEW copy AS SELECT * FROM note', /copy is of a kind/],
    ['an unlisted global table', 'ALTER TABLE listing RENAME TO hidden', /hidden has no column tenant_id/],
  ])('finds %s', async (_name, sql, expected) => {
    expect((await fixture.problems(GLOBALS, sql)).join('\n')).toMatch(expected);
  });

  // A cluster refuses the change itself.
  it.each([
    [
      'a key without the tenant',
      'CREATE UNIQUE INDEX note_id_alone ON note (id)',
      /the key note_id_alone does not start with tenant_id/,
      'creating unique indexes on non-partition columns',
    ],
    [
      'a nullable tenant',
      'ALTER TABLE reading DROP CONSTRAINT reading_pkey, ALTER tenant_id DROP NOT NULL',
      /reading/,
      'ALTER TABLE command involving partition column',
    ],
  ])('finds %s', async (_name, sql, expected, refusal) => {
    const problems = fixture.problems(GLOBALS, sql);
    if (roles.distributed) await expect(problems).rejects.toThrow(refusal);
    else expect((await problems).join('\n')).toMatch(expected);
  });

  it.each([
    ['a declared tenant column', { columns: 'id uuid NOT NULL, tenant_id uuid' }],
    ['a key in the columns', { columns: 'id uuid PRIMARY KEY' }],
    ['a unique in the columns', { columns: 'id uuid NOT NULL, email text UNIQUE' }],
    ['tenant_id in a key', { columns: 'id uuid NOT NULL', unique: [['tenant_id', 'id']] }],
    ['a name that needs quotes', { name: 'Bad; DROP', columns: 'id uuid NOT NULL' }],
  ])('createTenantTable refuses %s', async (_name, table) => {
    const runner = { query: () => Promise.reject(new Error('must not get here')) } as unknown as QueryRunner;
    const made = createTenantTable(runner, roles, { name: 'bad', ...table });
    await expect(made).rejects.toThrow(/tenant_id|keys are declared|not a lower-case/);
  });
});

describe('migrating and provisioning', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture({ migrations: [] });
  });
  afterAll(() => fixture.drop());

  it('runs each step once, even if replicas start together', async () => {
    const runs = await Promise.all(
      [1, 2, 3].map(() => runMigrations({ ownerUrl: fixture.ownerUrl, migrations: [CreateTables1700000000000] })),
    );
    expect(runs.flat()).toEqual(['CreateTables1700000000000']);
  });

  it('rolls back a step that fails', async () => {
    class Broken1700000000009 extends ServiceMigration {
      async up(runner: QueryRunner): Promise<void> {
        await runner.query('CREATE TABLE half (id uuid)');
        throw new Error('broken');
      }
    }
    const run = runMigrations({
      ownerUrl: fixture.ownerUrl,
      migrations: [CreateTables1700000000000, Broken1700000000009],
    });
    await expect(run).rejects.toThrow('broken');
    expect(await fixture.admin("SELECT to_regclass('half') AS half")).toEqual([{ half: null }]);
  });

  it('provisions the same database from several processes at once', async () => {
    const database = new URL(fixture.ownerUrl).pathname.slice(1);
    const adminUrl = (process.env.CITUS_URL ?? process.env.TEST_DATABASE_URL) as string;
    const passwords = { owner: 'owner', runtime: 'runtime', narrow: 'narrow' };
    const urls = await Promise.all(
      [1, 2, 3].map(() => provisionDatabase({ adminUrl, definition: roles, database, passwords })),
    );
    expect(new Set(urls.map((url) => url.runtimeUrl)).size).toBe(1);
  });
});
