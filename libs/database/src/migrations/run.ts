import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
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

/** What ends with a semicolon, but for those in comments and in the bodies of functions. */
const STATEMENT = /(?:--.*|\$(\w*)\$[\s\S]*?\$\1\$|[^;])+/g;

/**
 * Runs the statements of a file beside a step, `new URL('./functions.sql', import.meta.url)`, which goes with the bundle: one by one,
 * as a cluster wants them.
 */
export async function runSql(runner: QueryRunner, file: URL): Promise<void> {
  for (const [statement] of (await readFile(file, 'utf8')).matchAll(STATEMENT)) {
    if (statement.trim() !== '') await runner.query(statement);
  }
}

/** Lock during a migration, so that replicas that start together migrate one after the other. An arbitrary constant. */
const MIGRATION_LOCK = 47_152_011;

/** Every later statement on a table waits behind a step that waits for its lock: a step gives up, and is tried again. */
const LOCK_TIMEOUT_MS = 500;
const MOST_TRIES = 120;
const PAUSE_MS = 500;
/** SQLSTATE lock_not_available. */
const LOCK_NOT_AVAILABLE = '55P03';

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
    extra: { options: `-c citus.multi_shard_modify_mode=sequential -c lock_timeout=${LOCK_TIMEOUT_MS}` },
    // One connection holds the lock, the other migrates.
    poolSize: 2,
  });
  await source.initialize();
  const lock = source.createQueryRunner();
  try {
    await lock.query('SET lock_timeout = 0');
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const before = await listRan(lock);
    await runSteps(source);
    await runFunctionsWhereTenantIs(lock);
    await noteSteps(lock, migrations, tolerated);
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
    return stepsOf(migrations).filter((step) => !before.includes(step));
  } finally {
    await lock.release();
    await source.destroy();
  }
}

/** @throws QueryFailedError of a step, also when it never got its locks */
async function runSteps(source: DataSource): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await source.runMigrations();
      return;
    } catch (error) {
      if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE || tries === MOST_TRIES) throw error;
      await delay(PAUSE_MS);
    }
  }
}

/** @returns names of the steps that have run, none in an empty database */
async function listRan(statements: Statements): Promise<string[]> {
  const [table] = await statements.query("SELECT to_regclass('migrations') IS NOT NULL AS exists");
  if (!table?.exists) return [];
  return (await statements.query('SELECT name FROM migrations')).map(({ name }) => name as string);
}

async function haveRun(
  ownerUrl: string,
  migrations: readonly MigrationClass[],
  tolerated: readonly string[],
): Promise<boolean> {
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'migrations' });
  await client.connect();
  try {
    const statements: Statements = { query: async (sql, parameters) => (await client.query(sql, parameters)).rows };
    const ran = await listRan(statements);
    const isNewer = await assertStepsAreKnown(statements, migrations, ran);
    if (ran.length === 0 || !stepsOf(migrations).every((step) => ran.includes(step))) return false;
    // Also those of a run that was interrupted behind its last step.
    await runFunctionsWhereTenantIs(statements);
    if (!isNewer) await noteSteps(statements, migrations, tolerated);
    return true;
  } finally {
    await client.end();
  }
}
