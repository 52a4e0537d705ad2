import { Database, findDeadLetter, newId, runMigrations, ServiceMigration, storeDeadLetter } from '@crm/database';
import { type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { QueryRunner } from 'typeorm';
import { migrations } from '../src/migrations/index.js';

/** Makes of a new database one that was created when the table still had its earlier name. */
class EarlierName1763600000000 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dead_letter RENAME TO poison_message');
  }
}

describe('a database with the earlier name of the table of dead letters', () => {
  const consumer = 'automation-hooks';
  const tenantId = newId();
  let tested: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    tested = await testDatabase(consumer, migrations.slice(0, -1));
    await runMigrations({ ownerUrl: tested.ownerUrl, migrations: [EarlierName1763600000000] });
    database = new Database(tested.config);
  });
  afterAll(async () => {
    await database.close();
    await tested.drop();
  });

  it('keeps its dead letters and takes new ones after the migration', async () => {
    const id = newId();
    await database.transaction(tenantId, (tx) =>
      tx.query(
        `INSERT INTO poison_message (tenant_id, id, consumer, message_key, subject, payload, error, deliveries)
         VALUES ($1, $2, $3, 'earlier', 'events.lead.created.7', '{}', 'Error: not handled', 10)`,
        [tenantId, id, consumer],
      ),
    );
    expect(await runMigrations({ ownerUrl: tested.ownerUrl, migrations })).toEqual(['DeadLetter1795219200103']);
    expect(await database.crossTenant((tx) => findDeadLetter(tx, consumer, id))).toMatchObject({ id, tenantId });
    const stored = await database.transaction(tenantId, (tx) =>
      storeDeadLetter(tx, {
        consumer,
        messageKey: 'later',
        eventId: null,
        subject: 'events.lead.created.7',
        payload: Buffer.from('{}'),
        error: 'Error: not handled',
        deliveries: 10,
      }),
    );
    expect(stored.isNew).toBe(true);
  });
});
