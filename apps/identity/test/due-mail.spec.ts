import { randomBytes, randomUUID } from 'node:crypto';
import { Database } from '@crm/database';
import { type TestDatabase, testDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { IdentityConfig } from '../src/config.js';
import { entities } from '../src/entities.js';
import { MailRepository, MailSeal } from '../src/mail/mail.repository.js';
import { migrations } from '../src/migrations/index.js';

const LEASE_SECONDS = 300;

let test: TestDatabase;
let database: Database;
beforeAll(async () => {
  test = await testDatabase('identity', migrations);
  database = new Database(test.config, entities);
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

describe('due mail', () => {
  const mails = new MailRepository(
    new MailSeal({ keyEncryptionKey: randomBytes(32).toString('base64') } as IdentityConfig),
  );
  const tenantId = randomUUID();
  const write = (count: number) =>
    database.transaction(tenantId, async (tx) => {
      for (let index = 0; index < count; index++) {
        const recipient = `guest${index}@example.com`;
        await mails.insert(tx, tenantId, { recipient, subject: 'Welcome', body: 'Hello', validSeconds: 3600 });
      }
    });
  const claim = (places: number, fullTenants: string[] = []) =>
    database.crossTenant((tx) => mails.claimDue(tx, { places, fullTenants }, LEASE_SECONDS));

  it('claims as many mails as were asked for, also when Postgres estimates that there is only one', async () => {
    await write(1);
    await analyse();
    await write(29);
    const taken = new Set<string>();
    for (let index = 0; index < 30; index++) {
      const claimed = await claim(1);
      expect(claimed).toHaveLength(1);
      taken.add(claimed[0]!.id);
    }
    expect(taken.size).toBe(30);
    expect(await claim(1)).toEqual([]);
  });

  it('claims several mails at a time, and a released mail keeps its place in the queue', async () => {
    await write(3);
    expect(await claim(10, [tenantId])).toEqual([]);
    const claimed = await claim(10);
    expect(claimed).toHaveLength(3);
    const [first] = claimed.toSorted((left, right) => left.dueAt.getTime() - right.dueAt.getTime());
    await write(1);
    await database.crossTenant((tx) => mails.release(tx, [first!]));
    expect((await claim(1)).map(({ id }) => id)).toEqual([first!.id]);
    expect(await claim(10)).toHaveLength(1);
  });
});
