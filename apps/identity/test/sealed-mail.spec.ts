import { Database } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AfterResponse } from '../src/accounts/after-response.service.js';
import { MailRepository } from '../src/mail/mail.repository.js';
import { MailWorker } from '../src/mail/mail.worker.js';
import { type Account, TestIdentity } from './identity.js';
import { MailServer } from './mail-server.js';

interface StoredMail {
  id: string;
  body: string | null;
  sealed: Buffer | null;
}

let mailServer: MailServer;
let identity: TestIdentity;
let account: Account;
beforeAll(async () => {
  mailServer = await MailServer.start();
  identity = await TestIdentity.start({ smtpUrl: mailServer.url });
  account = await identity.account();
});
afterAll(async () => {
  await identity?.close();
  await mailServer?.close();
});

const inWorkspace = <Row extends object>(sql: string, parameters: unknown[] = []) =>
  identity.query<Row>(account.tenantId, sql, parameters);
const waiting = () => inWorkspace<StoredMail>('SELECT id, body, sealed_body AS sealed FROM mail ORDER BY id');

describe('a mail that waits', () => {
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
    const attempted = () => inWorkspace('SELECT 1 FROM mail WHERE attempts > 0');
    await waitUntil(async () => (await attempted()).length > 0, { describe: 'the attempt to be refused' });
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
      const [first, second] = await tx.query<StoredMail>('SELECT id, sealed_body AS sealed FROM mail ORDER BY id');
      await tx.query('UPDATE mail SET sealed_body = $2 WHERE id = $1', [second?.id, first?.sealed]);
      await tx.query('DELETE FROM mail WHERE id = $1', [first?.id]);
    });
    identity.get(MailWorker).wake();
    const [mail] = await waiting();
    const attempts = () => inWorkspace<{ attempts: number }>('SELECT attempts FROM mail WHERE id = $1', [mail?.id]);
    await waitUntil(async () => (await attempts())[0]?.attempts === 1, { describe: 'the attempt to fail' });
    expect(mailServer.mails.filter(({ text }) => text.includes('Of the'))).toEqual([]);
    await inWorkspace('DELETE FROM mail');
  });

  it('that was queued before texts were sealed is sent', async () => {
    await inWorkspace(
      `INSERT INTO mail (tenant_id, id, recipient, subject, body, expires_at)
       VALUES ($1, gen_random_uuid(), 'early@identity.test', 'Early', 'An earlier text', now() + interval '1 hour')`,
      [account.tenantId],
    );
    identity.get(MailWorker).wake();
    expect((await mailServer.mailTo('early@identity.test')).text).toContain('An earlier text');
  });
});
