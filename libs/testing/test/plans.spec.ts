import { DATABASES } from '@crm/contracts';
import { createInboxTable, createOutboxTable, eventTableSql, newId, ServiceMigration } from '@crm/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { QueryRunner } from 'typeorm';
import { explainStatements, type TestDatabase, testDatabase } from '../src/index.js';

class CreateEventTables1700000000002 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await createOutboxTable(runner, DATABASES.identity);
    await createInboxTable(runner, DATABASES.identity);
  }
}

const {
  APPEND_EVENTS,
  LOCK_DEAD_LETTER,
  MARK_REPLAYED,
  RECORD_HANDLED,
  RENEW_DEAD_LETTER,
  STORE_DEAD_LETTER,
  ...ofNarrowRole
} = eventTableSql;
const ofRuntimeRole = {
  APPEND_EVENTS,
  LOCK_DEAD_LETTER,
  MARK_REPLAYED,
  RECORD_HANDLED,
  RENEW_DEAD_LETTER,
  STORE_DEAD_LETTER,
};

describe('plans of the statements of outbox, inbox and dead letters', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await testDatabase('identity', [CreateEventTables1700000000002]);
  });
  afterAll(() => database.drop());

  it('are what they were for the runtime role, in the context of a tenant', async () => {
    expect(await explainStatements({ url: database.config.url, tenantId: newId() }, ofRuntimeRole)).toMatchSnapshot();
  });

  it('are what they were for the narrow role, which relays and sweeps for every tenant', async () => {
    expect(await explainStatements({ url: database.config.narrowUrl }, ofNarrowRole)).toMatchSnapshot();
  });

  it('name no day of a partition, also at the end of a line', async () => {
    const alias = 'SELECT FROM pg_class AS outbox_p20261122';
    expect((await explainStatements({ url: database.config.url }, { alias })).alias).toMatch(/ outbox_<part>$/m);
  });

  it('are refused to a role that may not run the statement', async () => {
    const refused = explainStatements({ url: database.config.url }, { CLAIM_EVENTS: eventTableSql.CLAIM_EVENTS });
    await expect(refused).rejects.toThrow('permission denied for table outbox');
  });
});
