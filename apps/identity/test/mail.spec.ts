import { waitUntil } from '@crm/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Account, newEmail, PASSWORD, TestIdentity } from './identity.js';
import { MailServer } from './mail-server.js';

interface WaitingMail {
  attempts: number;
  /** Seconds from its writing. */
  valid: number;
}

describe('mail that waits', () => {
  let mailServer: MailServer;
  let identity: TestIdentity;
  let owner: Account;
  beforeAll(async () => {
    mailServer = await MailServer.start();
    identity = await TestIdentity.start({ smtpUrl: mailServer.url });
    owner = await identity.account();
  });
  afterEach(() => {
    mailServer.recipients.clear();
    mailServer.senderReply = '250 ok';
    mailServer.refusing = false;
  });
  afterAll(async () => {
    await identity?.close();
    await mailServer?.close();
  });

  const invite = async (email: string) => {
    const body = { email, name: 'Guest', roles: ['member'] };
    expect((await identity.post('/api/tenant/users', body, owner.accessToken)).status).toBe(201);
  };
  const inWorkspace = <Row extends object>(sql: string, parameters: unknown[] = []) =>
    identity.query<Row>(owner.tenantId, sql, parameters);
  const waiting = (email: string) =>
    inWorkspace<WaitingMail>(
      `SELECT attempts, extract(epoch FROM expires_at - created_at)::int AS valid FROM mail WHERE recipient = $1`,
      [email],
    );
  /** A mail that was tried, and waits for its next attempt. */
  const postponed = async (email: string): Promise<WaitingMail> => {
    await waitUntil(async () => (await waiting(email))[0]?.attempts === 1, { describe: 'a failed attempt' });
    return (await waiting(email))[0]!;
  };
  const gone = (email: string) =>
    waitUntil(async () => (await waiting(email)).length === 0, { describe: 'the mail to be gone' });

  it('abandons a mail that the server refuses permanently', async () => {
    const email = newEmail();
    mailServer.recipients.set(email, '550 no such user');
    await invite(email);
    await waitUntil(() => mailServer.named.includes(email), { describe: 'the attempt' });
    await gone(email);
    expect(mailServer.named.filter((name) => name === email)).toHaveLength(1);
  });

  it('keeps a mail when the server refuses the sender, for which the mail is not to blame', async () => {
    const email = newEmail();
    mailServer.senderReply = '550 who are you';
    await invite(email);
    expect(await postponed(email)).toMatchObject({ valid: 3 * 24 * 3600 });
  });

  it('keeps a mail when a relay refuses the sender only after the recipient was named', async () => {
    const email = newEmail();
    mailServer.recipients.set(email, `554 5.7.1 <${email}>: Relay access denied`);
    await invite(email);
    expect(await postponed(email)).toMatchObject({ valid: 3 * 24 * 3600 });
  });

  it('abandons a mail that no server has accepted for three days', async () => {
    const email = newEmail();
    mailServer.refusing = true;
    await invite(email);
    await postponed(email);
    mailServer.refusing = false;
    const seen = mailServer.named.length;
    await inWorkspace('UPDATE mail SET expires_at = now(), next_attempt_at = now() WHERE recipient = $1', [email]);
    await gone(email);
    expect(mailServer.named.slice(seen)).not.toContain(email);
  });

  it('does not send a mail whose code has expired', async () => {
    const { email, accessToken } = owner;
    const body = { enabled: true, password: PASSWORD };
    expect((await identity.request('PUT', '/api/auth/mfa', { token: accessToken, body })).status).toBe(204);
    mailServer.refusing = true;
    expect((await identity.login(email)).status).toBe(200);
    expect(await postponed(email)).toMatchObject({ valid: 600 });
    mailServer.refusing = false;
    const seen = mailServer.named.length;
    await inWorkspace('UPDATE mail SET expires_at = now(), next_attempt_at = now() WHERE recipient = $1', [email]);
    await gone(email);
    expect(mailServer.named.slice(seen)).not.toContain(email);
  });

  it('sends other mail while one is slow', async () => {
    // Whose second factor is off: setting it up ended the proof that inviting asks for.
    owner = await identity.account();
    let answer: () => void = () => undefined;
    const [slow, quick] = [newEmail(), newEmail()];
    mailServer.recipients.set(
      slow,
      new Promise((resolve) => {
        answer = resolve;
      }),
    );
    await invite(slow);
    await waitUntil(() => mailServer.named.includes(slow), { describe: 'the slow mail to be on its way' });
    await invite(quick);
    await mailServer.mailTo(quick);
    expect(await waiting(slow)).toHaveLength(1);
    answer();
    await mailServer.mailTo(slow);
  });
});
