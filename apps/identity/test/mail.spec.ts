import { randomBytes, randomUUID } from 'node:crypto';
import { Database } from '@crm/database';
import { type TestDatabase, testDatabase, waitUntil } from '@crm/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type IdentityConfig } from '../src/config.js';
import { entities } from '../src/entities.js';
import { AfterResponse } from '../src/mail/after-response.service.js';
import { MailRepository } from '../src/mail/mail.repository.js';
import { MailWorker } from '../src/mail/mail.worker.js';
import { MailSeal } from '../src/mail/mail-seal.js';
import { migrations } from '../src/migrations/index.js';
import { type Account, newEmail, withMail } from './identity.js';

const { identity, mailServer } = withMail();
let owner: Account;
beforeAll(async () => {
  owner = await identity.account();
});
afterEach(() => {
  mailServer.recipients.clear();
  mailServer.senderReply = '250 ok';
  mailServer.refusing = false;
});

describe('mail that waits', () => {
  const invite = async (email: string) => {
    const body = { email, name: 'Guest', roles: ['member'] };
    expect((await identity.post('/api/tenant/users', body, owner.accessToken)).status).toBe(201);
  };
  /** The mail to an address, and for how many seconds it is valid. */
  const waiting = (email: string) =>
    identity.query<{ attempts: number }>(
      owner.tenantId,
      'SELECT attempts, extract(epoch FROM expires_at - created_at)::int AS valid FROM mail WHERE recipient = $1',
      [email],
    );
  /** A mail that was tried, and waits for its next attempt. */
  const postponed = async (email: string) => {
    await waitUntil(async () => (await waiting(email))[0]?.attempts === 1, { describe: 'a failed attempt' });
    return (await waiting(email))[0];
  };
  const gone = (email: string) =>
    waitUntil(async () => (await waiting(email)).length === 0, { describe: 'the mail to be gone' });

  /** A mail that has expired goes without another attempt. */
  const expectAbandoned = async (email: string) => {
    mailServer.refusing = false;
    const seen = mailServer.named.length;
    const due = 'UPDATE mail SET expires_at = now(), next_attempt_at = now() WHERE recipient = $1';
    await identity.query(owner.tenantId, due, [email]);
    await gone(email);
    expect(mailServer.named.slice(seen)).not.toContain(email);
  };

  it('abandons a mail that the server refuses permanently', async () => {
    const email = newEmail();
    mailServer.recipients.set(email, '550 no such user');
    await invite(email);
    await waitUntil(() => mailServer.named.includes(email), { describe: 'the attempt' });
    await gone(email);
    expect(mailServer.named.filter((name) => name === email)).toHaveLength(1);
  });

  it('keeps a mail when the server refuses the sender, before the recipient is named or as a relay after it', async () => {
    const [relayed, email] = [newEmail(), newEmail()];
    mailServer.recipients.set(relayed, `554 5.7.1 <${relayed}>: Relay access denied`);
    await invite(relayed);
    expect(await postponed(relayed)).toMatchObject({ valid: 3 * 24 * 3600 });
    mailServer.senderReply = '550 who are you';
    await invite(email);
    expect(await postponed(email)).toMatchObject({ valid: 3 * 24 * 3600 });
  });

  it('abandons a mail that no server has accepted for three days', async () => {
    const email = newEmail();
    mailServer.refusing = true;
    await invite(email);
    await postponed(email);
    await expectAbandoned(email);
  });

  it('does not send a mail whose code has expired', async () => {
    const { email, accessToken } = owner;
    // Its notice would be found instead of the code.
    await mailServer.sentBy(email, () => identity.setSecondFactor(accessToken, true));
    await gone(email);
    mailServer.refusing = true;
    expect((await identity.login(email)).status).toBe(200);
    expect(await postponed(email)).toMatchObject({ valid: 600 });
    await expectAbandoned(email);
  });

  it('sends other mail while one is slow', async () => {
    // Whose second factor is off: setting it up ended the proof that inviting asks for.
    owner = await identity.account();
    const [slow, quick] = [newEmail(), newEmail()];
    let answer: () => void = () => undefined;
    const slowly = new Promise<void>((resolve) => {
      answer = resolve;
    });
    mailServer.recipients.set(slow, slowly);
    await invite(slow);
    await waitUntil(() => mailServer.named.includes(slow), { describe: 'the slow mail to be on its way' });
    await invite(quick);
    await mailServer.mailTo(quick);
    expect(await waiting(slow)).toHaveLength(1);
    answer();
    await mailServer.mailTo(slow);
  });
});

describe('the text of a mail', () => {
  let account: Account;
  beforeAll(async () => {
    account = await identity.account();
  });

  const STORED = 'SELECT id, body, sealed_body AS sealed, attempts FROM mail ORDER BY id';
  const inWorkspace = (sql: string, parameters: unknown[] = []) => identity.query(account.tenantId, sql, parameters);
  const waiting = () =>
    identity.query<{ body: string | null; sealed: Buffer | null; attempts: number }>(account.tenantId, STORED);

  it('is sealed until it is sent, and nothing of it is left afterwards', async () => {
    mailServer.refusing = true;
    await identity.post('/api/auth/password-resets', { email: account.email });
    await identity.get(AfterResponse).beforeApplicationShutdown();
    const [mail] = await waiting();
    expect(mail?.body).toBeNull();
    for (const text of ['token=', 'password', 'Hello']) {
      expect(mail?.sealed?.toString('latin1')).not.toContain(text);
    }
    // Made due while an attempt is under way, it would be sent by that attempt and by the next.
    await waitUntil(async () => (await waiting())[0]?.attempts === 1, { describe: 'the attempt to be refused' });
    mailServer.refusing = false;
    await inWorkspace('UPDATE mail SET next_attempt_at = now()');
    identity.get(MailWorker).wake();
    expect((await mailServer.mailTo(account.email)).text).toContain('/password-reset#token=');
    await waitUntil(async () => (await waiting()).length === 0, { describe: 'the mail to be gone' });
  });

  it('is not sent with the text of another row', async () => {
    // One transaction, so that the worker sees the two mails only once the text has been moved.
    await identity.get(Database).transaction(account.tenantId, async (tx) => {
      for (const body of ['Of the first', 'Of the second']) {
        const mail = { recipient: account.email, subject: 'Hello', body, validSeconds: 3600 };
        await identity.get(MailRepository).insert(tx, account.tenantId, mail);
      }
      const [first, second] = await tx.query<{ id: string; sealed: Buffer }>(STORED);
      await tx.query('UPDATE mail SET sealed_body = $2 WHERE id = $1', [second?.id, first?.sealed]);
      await tx.query('DELETE FROM mail WHERE id = $1', [first?.id]);
    });
    identity.get(MailWorker).wake();
    await waitUntil(async () => (await waiting())[0]?.attempts === 1, { describe: 'the attempt to fail' });
    expect(mailServer.mails.filter(({ text }) => text.includes('Of the'))).toEqual([]);
    await inWorkspace('DELETE FROM mail');
  });

  it('is sent as it is when it was queued before texts were sealed', async () => {
    await inWorkspace(
      `INSERT INTO mail (tenant_id, id, recipient, subject, body, expires_at)
       VALUES ($1, gen_random_uuid(), 'early@identity.test', 'Early', 'An earlier text', now() + interval '1 hour')`,
      [account.tenantId],
    );
    identity.get(MailWorker).wake();
    expect((await mailServer.mailTo('early@identity.test')).text).toContain('An earlier text');
  });
});

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
  const claim = (slots: number, fullTenants: string[] = []) =>
    database.crossTenant((tx) => mails.claimDue(tx, { slots, fullTenants }, LEASE_SECONDS));

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
