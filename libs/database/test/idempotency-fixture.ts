import { randomBytes } from 'node:crypto';
import type { ServiceDatabase } from '@crm/contracts';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { Database } from '../src/database.js';
import { createIdempotencyTable } from '../src/index.js';
import { provisionDatabase } from '../src/migrations/provision.js';
import { runMigrations } from '../src/migrations/run.js';
import { ServiceMigration } from '../src/migrations/service-migration.js';
import { createTenantTable } from '../src/migrations/tables.js';

const roles: ServiceDatabase = {
  database: 'idempotencytest',
  ownerRole: 'idempotencytest_owner',
  runtimeRole: 'idempotencytest_runtime',
  narrowRole: 'idempotencytest_narrow',
};

class CreateTables1700000000000 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createTenantTable(runner, roles, { name: 'thing', columns: 'id uuid NOT NULL' });
    await runner.query(`GRANT INSERT ON thing TO ${roles.narrowRole}`);
    await createIdempotencyTable(runner, roles, { narrowCreates: true });
  }
}

export interface Fixture {
  readonly database: Database;
  /** Runs a statement as the database administrator, to whom no policy applies. */
  admin<Row extends pg.QueryResultRow>(sql: string, parameters?: unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

/** Creates a database with a table of things and the table of their idempotency keys. */
export async function startFixture(): Promise<Fixture> {
  const serverUrl = process.env.TEST_DATABASE_URL;
  if (!serverUrl) throw new Error('TEST_DATABASE_URL is not set: run with node scripts/with-test-servers.mjs');
  const name = `idempotencytest_${randomBytes(6).toString('hex')}`;
  const { ownerUrl, runtimeUrl, narrowUrl } = await provisionDatabase({
    adminUrl: serverUrl,
    definition: roles,
    database: name,
    passwords: { owner: 'owner', runtime: 'runtime', narrow: 'narrow' },
  });
  await runMigrations({ ownerUrl, migrations: [CreateTables1700000000000] });
  const database = new Database({ url: runtimeUrl, narrowUrl, applicationName: name });
  const adminUrl = new URL(serverUrl);
  adminUrl.pathname = `/${name}`;
  const admin = new pg.Pool({ connectionString: adminUrl.toString(), max: 1 });
  return {
    database,
    async admin(sql, parameters) {
      return (await admin.query(sql, parameters)).rows;
    },
    async drop() {
      await database.close();
      await admin.end();
      const server = new pg.Client({ connectionString: serverUrl });
      await server.connect();
      await server.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await server.end();
    },
  };
}
