import { randomUUID } from 'node:crypto';
import { Database } from '@crm/database';
import { type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MailRepository } from '../src/mail/mail.repository.js';
import { migrations } from '../src/migrations/index.js';

const LEASE_SECONDS = 300;

let test: TestDatabase;
let database: Database;
beforeAll(async () => {
  test = await testDatabase('identity', migrations);
  database = new Database(test.config);
});
afterAll(async () => {
  await database?.close();
  await test?.drop();
});

/** What autovacuum does when it comes by. */
async function analyse(): Promise<void> {
  const administrator = new Database({ ...test.config, url: test.adminUrl });
  await administrator.transaction(randomUUID(), (tx) => tx.query('ANALYZE mail'));
  await administrator.close();
}

it('one mail is taken at a time, also when Postgres believes that there is only one', async () => {
  const mails = new MailRepository();
  const tenantId = randomUUID();
  const write = (count: number) =>
    database.transaction(tenantId, async (tx) => {
      for (let index = 0; index < count; index++) {
        const recipient = `guest${index}@example.com`;
        await mails.insert(tx, tenantId, { recipient, subject: 'Welcome', body: 'Hello', validSeconds: 3600 });
      }
    });
  await write(1);
  await analyse();
  await write(29);
  const taken = new Set<string>();
  for (let index = 0; index < 30; index++) {
    const mail = await database.crossTenant((tx) => mails.claimDue(tx, [], LEASE_SECONDS));
    taken.add(mail!.id);
  }
  expect(taken.size).toBe(30);
  expect(await database.crossTenant((tx) => mails.claimDue(tx, [], LEASE_SECONDS))).toBeUndefined();
});
