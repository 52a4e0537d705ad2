import type { StatefulService } from '@crm/contracts';
import {
  Database,
  findDeadLetter,
  type MigrationClass,
  newId,
  runMigrations,
  ServiceMigration,
  storeDeadLetter,
} from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { testDatabase } from './test-database.js';

/** Makes of a new database one that was created when the table of dead letters still had its earlier name. */
class EarlierName1763600000000 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dead_letter RENAME TO poison_message');
  }
}

/**
 * Migrates a database with the earlier name of the table of dead letters and a dead letter in it.
 * @param consumer the service, whose consumer has its name
 * @param migrations all of the service's; the last one gives the table its present name
 * @returns the names of the migrations that ran, whether the dead letter is found by the tenant that it was stored for, and
 *   whether another one can be stored
 */
export async function migrateEarlierDeadLetters(
  consumer: StatefulService,
  migrations: readonly MigrationClass[],
): Promise<{ readonly ran: readonly string[]; readonly isKept: boolean; readonly takesNew: boolean }> {
  const tested = await testDatabase(consumer, migrations.slice(0, -1));
  await runMigrations({ ownerUrl: tested.ownerUrl, migrations: [EarlierName1763600000000] });
  const database = new Database(tested.config);
  const tenantId = newId();
  const id = newId();
  try {
    await database.transaction(tenantId, (tx) =>
      tx.query(
        `INSERT INTO poison_message (tenant_id, id, consumer, message_key, subject, payload, error, deliveries)
         VALUES ($1, $2, $3, 'earlier', 'events.lead.created.7', '{}', 'Error: not handled', 10)`,
        [tenantId, id, consumer],
      ),
    );
    const ran = await runMigrations({ ownerUrl: tested.ownerUrl, migrations });
    const kept = await database.crossTenant((tx) => findDeadLetter(tx, consumer, id));
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
    return { ran, isKept: kept?.id === id && kept.tenantId === tenantId, takesNew: stored.isNew };
  } finally {
    await database.close();
    await tested.drop();
  }
}
