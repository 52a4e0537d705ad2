import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { DatabaseModule, type MigrationClass, runMigrations, ServiceMigration } from '../src/index.js';
import { type Fixture, startFixture } from './fixture.js';

class First1700000000000 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE made (step integer)');
  }
}
class Second1700000000001 extends First1700000000000 {
  override async up(runner: QueryRunner): Promise<void> {
    await runner.query('INSERT INTO made VALUES (2)');
  }
}
class Third1700000000002 extends Second1700000000001 {}
class Other1700000000009 extends First1700000000000 {}
class Fourth1700000000003 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE made ADD COLUMN more text');
  }
}

/** Three releases, the first of which made the database. */
const V1 = [First1700000000000];
const V2 = [...V1, Second1700000000001];
const V3 = [...V2, Third1700000000002];

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ migrations: V1 });
});
afterAll(() => fixture.drop());

const migrate = (migrations: readonly MigrationClass[], tolerated: readonly string[] = []) =>
  runMigrations({ ownerUrl: fixture.ownerUrl, migrations, tolerated });
/** Starts what every service has, on the database. */
const start = async (migrations: readonly MigrationClass[]) => {
  const module = DatabaseModule.forService({ config: fixture.database.config, migrations });
  const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  await app.close();
  return 'started';
};
const names = (...steps: string[]) => `does not know: ${steps.join(', ')}. `;

it('a program stops on a database with steps that it does not know and names them, unless the next release tolerates them', async () => {
  expect(await migrate(V2)).toEqual(['Second1700000000001']);
  expect(await start(V2)).toBe('started');
  await expect(start(V1)).rejects.toThrow(names('Second1700000000001'));
  await expect(migrate(V1)).rejects.toThrow(names('Second1700000000001'));
  // A developer's data of before the first release, too.
  await expect(migrate([Other1700000000009])).rejects.toThrow('"npm run reset" deletes it');

  expect(await migrate(V2, ['Second1700000000001'])).toEqual([]);
  // Also the migration of the older one, which leaves the list alone.
  for (let round = 0; round < 2; round += 1) {
    expect(await start(V1)).toBe('started');
    expect(await migrate(V1)).toEqual([]);
  }

  expect(await migrate(V3, ['Third1700000000002'])).toEqual(['Third1700000000002']);
  expect(await start(V2)).toBe('started');
  await expect(start(V1)).rejects.toThrow(names('Second1700000000001'));
});

it('a step that waits for a lock lets pass what waits behind it, and is tried again until it has run', async () => {
  const reader = new pg.Client({ connectionString: fixture.ownerUrl });
  await reader.connect();
  try {
    await reader.query('BEGIN');
    await reader.query('SELECT FROM made');
    const steps = [...V3, Fourth1700000000003];
    const migrated = migrate(steps, ['Fourth1700000000003']);
    const waits = "SELECT FROM pg_locks WHERE relation = 'made'::regclass AND NOT granted";
    while ((await fixture.admin(waits)).length === 0) await delay(20);
    await fixture.admin('INSERT INTO made VALUES (3)');
    await reader.query('COMMIT');
    expect(await migrated).toEqual(['Fourth1700000000003']);
  } finally {
    await reader.end();
  }
});
