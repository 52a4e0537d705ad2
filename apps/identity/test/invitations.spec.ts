import { Database } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newEmail, PASSWORD, TestIdentity } from './identity.js';
import { MailServer } from './mail-server.js';

let mailServer: MailServer;
let identity: TestIdentity;
beforeAll(async () => {
  mailServer = await MailServer.start();
  identity = await TestIdentity.start({ smtpUrl: mailServer.url });
});
afterAll(async () => {
  await identity?.close();
  await mailServer?.close();
});

const invite = async (changes: Record<string, unknown> = {}) => {
  const owner = await identity.account({ name: 'Line\r\nBreakers' });
  const email = newEmail();
  const answer = await identity.post(
    '/api/tenant/users',
    { email, name: 'Guest', roles: ['member'], ...changes },
    owner.accessToken,
  );
  return { owner, email, answer };
};
const tokenIn = (text: string) => /#token=([\w.-]+)/.exec(text)?.[1] ?? '';
const accept = (token: string, password = PASSWORD) =>
  identity.post('/api/auth/invitations/accept', { token, password });

describe('an invitation', () => {
  it('goes out by mail, sets a password once and lets the user in', async () => {
    const { email, answer, owner } = await invite();
    expect([answer.status, answer.body.status]).toEqual([201, 'invited']);
    expect((await identity.login(email)).status).toBe(401);
    const mail = await mailServer.mailTo(email);
    expect(mail.text).toMatch(/^Subject: Invitation to Line Breakers\r?$/m);
    const token = tokenIn(mail.text);
    expect((await accept(token)).status).toBe(204);
    expect((await identity.signedIn(email)).tenantId).toBe(owner.tenantId);
    const again = await accept(token, 'another-good-password');
    expect([again.status, again.body.code]).toEqual([410, 'INVALID_INVITATION']);
    expect((await identity.login(email)).status).toBe(200);
  });

  it('is refused with a wrong token, and a password keeps its rules', async () => {
    const { email } = await invite();
    const token = tokenIn((await mailServer.mailTo(email)).text);
    const [ids] = token.split('.');
    for (const wrong of ['nonsense', `${ids}.wrong`, `${ids}`, `.${token.split('.')[1]}`]) {
      expect((await accept(wrong)).body.code).toBe('INVALID_INVITATION');
    }
    expect((await accept(token, 'short')).status).toBe(422);
    expect((await accept(token)).status).toBe(204);
  });

  it('expires', async () => {
    const { email, owner } = await invite();
    const token = tokenIn((await mailServer.mailTo(email)).text);
    await identity
      .get(Database)
      .transaction(owner.tenantId, (tx) => tx.query(`UPDATE invitation SET expires_at = now() - interval '1 second'`));
    expect((await accept(token)).body.code).toBe('INVALID_INVITATION');
  });

  it('ends when the user is disabled', async () => {
    const { email, owner, answer } = await invite();
    const token = tokenIn((await mailServer.mailTo(email)).text);
    await identity.request('PATCH', `/api/tenant/users/${answer.body.id}`, {
      token: owner.accessToken,
      body: { status: 'disabled' },
    });
    expect((await accept(token)).body.code).toBe('INVALID_INVITATION');
  });

  it('is not lost while the mail server takes nothing', async () => {
    mailServer.refusing = true;
    const { email, owner } = await invite();
    const database = identity.get(Database);
    const waiting = () =>
      database.transaction(owner.tenantId, (tx) => tx.query<{ attempts: number }>('SELECT attempts FROM mail'));
    await waitUntil(async () => (await waiting())[0]?.attempts === 1, {
      timeoutMs: 4000,
      describe: 'a failed attempt',
    });
    mailServer.refusing = false;
    // Instead of waiting for the five seconds.
    await database.transaction(owner.tenantId, (tx) => tx.query('UPDATE mail SET next_attempt_at = now()'));
    await mailServer.mailTo(email);
  });

  it('leaves no secret behind once its mail is sent', async () => {
    const { email, owner } = await invite();
    await mailServer.mailTo(email);
    const database = identity.get(Database);
    const waiting = () => database.transaction(owner.tenantId, (tx) => tx.query('SELECT id FROM mail'));
    await waitUntil(async () => (await waiting()).length === 0, { timeoutMs: 5000, describe: 'the mail is deleted' });
  });
});
