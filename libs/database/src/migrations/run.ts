import pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { runFunctionsWhereTenantIs, type Statements } from './distribution.js';
import { assertStepsAreKnown, type MigrationClass, noteSteps, stepsOf } from './known-steps.js';

/** One step of a schema, in a transaction of the owner; 13 digits (milliseconds) at the end of the names order them. */
export abstract class ServiceMigration implements MigrationInterface {
  abstract up(runner: QueryRunner): Promise<void>;

  /** Steps are never reverted: a released schema is changed by another step, which keeps the data. */
  down(_runner: QueryRunner): Promise<void> {
    return Promise.reject(new Error('Migrations cannot be reverted: write another one'));
  }
}

/** Lock during a migration, so that replicas that start together migrate one after the other. An arbitrary constant. */
const MIGRATION_LOCK = 47_152_011;

export interface MigrationRun {
  /** Connection URL of the owner role. */
  ownerUrl: string;
  migrations: readonly MigrationClass[];
  /** Names of the steps that processes of the release before work with; default none. */
  tolerated?: readonly string[];
}

/**
 * Runs the steps that have not run, each in a transaction. @returns their names
 * @throws UnknownSteps when the database has steps of a newer version, which it does not tolerate
 */
export async function runMigrations({ ownerUrl, migrations, tolerated = [] }: MigrationRun): Promise<string[]> {
  if (await haveRun(ownerUrl, migrations, tolerated)) return [];
  // Loaded here, because services import this package but never migrate, and usually there is nothing to do.
  const { DataSource } = await import('typeorm');
  const source = new DataSource({
    type: 'postgres',
    driver: pg,
    url: ownerUrl,
    migrations: [...migrations],
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    installExtensions: false,
    synchronize: false,
    logging: false,
    // Errors are thrown; the caller decides what to print.
    logger: 'debug',
    applicationName: 'migrations',
    // Shard by shard where tables are distributed: a transaction that has changed them in parallel could define nothing else.
    extra: { options: '-c citus.multi_shard_modify_mode=sequential' },
    // One connection holds the lock, the other migrates.
    poolSize: 2,
  });
  await source.initialize();
  const lock = source.createQueryRunner();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const ran = await source.runMigrations();
    await runFunctionsWhereTenantIs(lock);
    await noteSteps(lock, migrations, tolerated);
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    return ran.map((migration) => migration.name);
  } finally {
    await lock.release();
    await source.destroy();
  }
}

async function haveRun(
  ownerUrl: string,
  migrations: readonly MigrationClass[],
  tolerated: readonly string[],
): Promise<boolean> {
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'migrations' });
  await client.connect();
  try {
    const table = await client.query("SELECT to_regclass('migrations') IS NOT NULL AS exists");
    if (!table.rows[0].exists) return false;
    const statements: Statements = { query: async (sql, parameters) => (await client.query(sql, parameters)).rows };
    const ran = (await statements.query('SELECT name FROM migrations')).map(({ name }) => name as string);
    const isNewer = await assertStepsAreKnown(statements, migrations, ran);
    if (!stepsOf(migrations).every((step) => ran.includes(step))) return false;
    // Also those of a run that was interrupted behind its last step.
    await runFunctionsWhereTenantIs(statements);
    if (!isNewer) await noteSteps(statements, migrations, tolerated);
    return true;
  } finally {
    await client.end();
  }
}
