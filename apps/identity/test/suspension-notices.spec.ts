import { Database, newId } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Account, TestIdentity } from './identity.js';
import { MailServer } from './mail-server.js';
import { TestSuspensions } from './suspended.js';

let mailServer: MailServer;
let identity: TestIdentity;
let suspensions: TestSuspensions;
beforeAll(async () => {
  mailServer = await MailServer.start();
  identity = await TestIdentity.start({ smtpUrl: mailServer.url });
  suspensions = await TestSuspensions.start(identity);
});
afterEach(() => {
  mailServer.mails.length = 0;
});
afterAll(async () => {
  await suspensions?.close();
  await identity?.close();
  await mailServer?.close();
});

/** Whoever got a mail, now that all that was queued is sent. */
async function told({ tenantId }: Pick<Account, 'tenantId'>): Promise<string[]> {
  const mails = () => identity.query(tenantId, 'SELECT 1 FROM mail WHERE tenant_id = $1', [tenantId]);
  await waitUntil(async () => (await mails()).length === 0, { timeoutMs: 20_000, describe: 'all mail is sent' });
  return mailServer.mails.map(({ to }) => to).sort();
}

/** Waits until the decision waits for an administrator. */
async function isWaiting(): Promise<void> {
  const blocked = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FOR KEY SHARE OF u%'`;
  const administrator = new Database({ ...identity.config.database, url: identity.database.adminUrl });
  try {
    const seen = () => administrator.transaction(newId(), (tx) => tx.query(blocked));
    await waitUntil(async () => (await seen()).length > 0, {
      timeoutMs: 20_000,
      describe: 'the decision waits for the administrator',
    });
  } finally {
    await administrator.close();
  }
}

describe('a suspended workspace', () => {
  it('has its administrators told why, and what that means; again when it is reinstated', async () => {
    const owner = await identity.account({ name: 'Globex' });
    const admin = await identity.member(owner, ['admin']);
    const disabled = await identity.member(owner, ['admin']);
    await identity.member(owner, ['member']);
    const off = { token: owner.accessToken, body: { status: 'disabled' } };
    expect((await identity.request('PATCH', `/api/tenant/users/${disabled.userId}`, off)).status).toBe(200);

    await suspensions.decide('suspend', owner.tenantId, 'It sends spam. Write to us.');
    expect(await told(owner)).toEqual([owner.email, admin.email].sort());
    const suspended = (await mailServer.mailTo(owner.email)).text;
    expect(suspended).toContain('Subject: The workspace Globex was suspended');
    expect(suspended).toContain('The reason given:\r\n\r\n  It sends spam. Write to us.\r\n');
    expect(suspended).toContain('Nobody can sign in to it');
    expect(suspended).toContain('Nothing is deleted');

    mailServer.mails.length = 0;
    await suspensions.decide('reinstate', owner.tenantId, 'It was a mistake');
    expect(await told(owner)).toEqual([owner.email, admin.email].sort());
    const reinstated = (await mailServer.mailTo(admin.email)).text;
    expect(reinstated).toContain('Subject: The workspace Globex was reinstated');
    expect(reinstated).toContain('  It was a mistake\r\n');
    expect(reinstated).toContain('http://127.0.0.1:8080/account/sign-in');
    expect(reinstated).toContain('GET http://127.0.0.1:8080/api/admin/audit?action=workspace.reinstated');
  });

  it('is told once, however often and by however many it is decided', async () => {
    const owner = await identity.account();
    await Promise.all(Array.from({ length: 5 }, () => suspensions.decide('suspend', owner.tenantId)));
    await suspensions.decide('suspend', owner.tenantId, 'Once more');
    expect(await told(owner)).toEqual([owner.email]);
    await Promise.all(Array.from({ length: 5 }, () => suspensions.decide('reinstate', owner.tenantId)));
    expect(await told(owner)).toEqual([owner.email, owner.email]);
  });

  it('is suspended, and told, while one of its administrators is being changed', async () => {
    const owner = await identity.account();
    const decisions: Promise<unknown>[] = [];
    await identity.get(Database).transaction(owner.tenantId, async (tx) => {
      // As every change of a user that ends sessions: first the user, then the sessions.
      await tx.query('SELECT 1 FROM app_user WHERE id = $1 FOR UPDATE', [owner.userId]);
      decisions.push(suspensions.decide('suspend', owner.tenantId));
      await isWaiting();
      await tx.query('DELETE FROM session WHERE user_id = $1', [owner.userId]);
    });
    expect(await Promise.all(decisions)).toMatchObject([{ state: 'suspended' }]);
    expect(await told(owner)).toEqual([owner.email]);
  });

  it('is told nothing by a decision that is refused', async () => {
    const owner = await identity.account();
    await expect(suspensions.decide('suspend', owner.tenantId, ' ')).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    const before = identity.get(Database);
    await before.transaction(owner.tenantId, (tx) => tx.query('UPDATE tenant SET closed_at = now()'));
    await expect(suspensions.decide('suspend', owner.tenantId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await told(owner)).toEqual([]);
  });

  it('whose address nobody has verified is told nothing: it may be that of a stranger', async () => {
    const owner = await identity.account();
    await identity.query(owner.tenantId, 'UPDATE tenant SET verified_at = NULL');
    await suspensions.decide('suspend', owner.tenantId);
    expect(await told(owner)).toEqual([]);
  });

  it('puts no line, link or hidden character into the mail, by its name or in the reason', async () => {
    const owner = await identity.account({ name: 'Globex\nBcc: victim@evil.example \u202Ehttps://evil.example' });
    const reason = `Spam.\r\n\r\nSign in at https://evil.example/now \u202E${'y'.repeat(1900)}`;
    await suspensions.decide('suspend', owner.tenantId, reason);
    expect(await told(owner)).toEqual([owner.email]);
    const { text } = await mailServer.mailTo(owner.email);
    expect(text.split('\r\n').filter((line) => /^bcc:/i.test(line))).toEqual([]);
    const body = text.slice(text.indexOf('\r\n\r\n'));
    expect(body).toMatch(/\r\n {2}Spam. Sign in at https evil example now y+ …\r\n/);
    expect(body).toContain('the workspace Globex Bcc victim evil example https evil example, which');
    expect(body).not.toMatch(/https?:|evil\.example|@|\u202E/);
  });
});
