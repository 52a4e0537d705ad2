import { randomUUID } from 'node:crypto';
import { EVENTS, type EventData, type EventEnvelope, type SubmissionOutcome } from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { eventOf, publishEvents, waitUntil } from '@crm/testing';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { MAX_NOTIFIED_ADMINISTRATORS } from '../src/people/people.service.js';
import { type Account, TestIdentity } from './identity.js';
import { MailServer } from './mail-server.js';
import { TestSuspensions, waitsForAdministrator } from './suspended.js';

type Decided = EventData<(typeof EVENTS)['submission.decided']>;

const mailServer = new MailServer();
const { identity } = TestIdentity.replicasOfFile({}, mailServer);
afterEach(() => {
  mailServer.mails.length = 0;
  mailServer.refusing = false;
});

const APP = { appKey: 'acme-visits', appName: 'Acme Visits', version: '1.2.0' };
/** The marketplace publishes events of this form. */
function decided({ tenantId, userId }: Pick<Account, 'tenantId' | 'userId'>, changes: Partial<Decided> = {}) {
  return eventOf('submission.decided', tenantId, {
    submissionId: randomUUID(),
    ...APP,
    decision: 'rejected',
    reason: 'The demo account cannot sign in.',
    submittedBy: userId,
    ...changes,
  });
}

/** Waits until the event has had its effect: its row of the inbox commits with the mails. */
const isHandled = ({ id, tenantid }: EventEnvelope) =>
  waitUntil(
    async () => (await identity.query(tenantid, 'SELECT 1 FROM inbox WHERE event_id = $1', [id])).length === 1,
    { timeoutMs: 20_000, describe: 'the event is handled' },
  );
const waiting = (tenantId: string) => identity.query<{ recipient: string }>(tenantId, 'SELECT recipient FROM mail');
const allIsSent = (tenantId: string) =>
  waitUntil(async () => (await waiting(tenantId)).length === 0, { timeoutMs: 20_000, describe: 'all mail is sent' });
const deadLetters = (tenantId: string) =>
  identity.queryAll('SELECT 1 FROM dead_letter WHERE tenant_id = $1', [tenantId]);

/** The recipients of mails by events of a tenant. */
async function toldBy(...events: EventEnvelope[]): Promise<string[]> {
  await publishEvents(...events);
  for (const event of events) await isHandled(event);
  await allIsSent(events[0]?.tenantid ?? '');
  return recipients();
}
const change = async (by: Account, userId: string, body: object) =>
  expect((await identity.changeUser(by, userId, body)).status).toBe(200);
const erase = async ({ accessToken }: Account, userId: string) =>
  expect((await identity.post(`/api/admin/users/${userId}/erase`, undefined, accessToken)).status).toBe(204);
/** The owner of a workspace, and another administrator who submits. */
const publisher = async () => {
  const owner = await identity.account();
  return { owner, submitter: await identity.member(owner, ['admin']) };
};
const recipients = () => mailServer.mails.map(({ to }) => to).sort();

describe('a verdict on a submission', () => {
  it('is told to the one who submitted it and the other administrators of the publisher, each once', async () => {
    const owner = await identity.account({ name: 'Acme' });
    const submitter = await identity.member(owner, ['admin']);
    await identity.role(owner, 'sales');
    const other = await identity.member(owner, ['admin', 'sales']);
    const disabled = await identity.member(owner, ['admin']);
    await change(owner, disabled.userId, { status: 'disabled' });
    for (const role of ['member', 'viewer']) await identity.member(owner, [role]);
    await identity.account();
    const told = await toldBy(decided(submitter));
    expect(told).toEqual([owner.email, submitter.email, other.email].sort());
    const { text } = await mailServer.mailTo(submitter.email);
    expect(text).toContain('Subject: Version 1.2.0 of the app Acme Visits was rejected');
    expect(text).toContain('the operators of the platform have rejected version 1.2.0 of the app Acme Visits.');
    expect(text).toContain('It belongs to the workspace Acme');
    expect(text).toContain('The reason given:\r\n\r\n  The demo account cannot sign in.\r\n');
    expect(text).toContain('GET http://127.0.0.1:8080/api/marketplace/developer/apps/acme-visits/versions/1.2.0');
  });

  it.each<[SubmissionOutcome, string, string]>([
    ['changes_requested', 'Version 1.2.0 of the app Acme Visits needs changes', 'Submit a higher one'],
    ['approved', 'Version 1.2.0 of the app Acme Visits was approved', 'not in the marketplace yet'],
    ['published', 'Version 1.2.0 of the app Acme Visits was published', 'install from now on'],
    ['suspended', 'The app Acme Visits was suspended', 'Installations that there are go on'],
    ['reinstated', 'The app Acme Visits was reinstated', 'offers it again'],
    ['revoked', 'The app Acme Visits was revoked', 'This cannot be undone'],
    ['unlisted', 'The app Acme Visits was unlisted', 'no longer lists it'],
  ])('says what %s means', async (decision, subject, meaning) => {
    const owner = await identity.account();
    expect(await toldBy(decided(owner, { decision }))).toEqual([owner.email]);
    const { text } = await mailServer.mailTo(owner.email);
    expect(text).toContain(`Subject: ${subject}\r\n`);
    expect(text).toContain(meaning);
  });

  it.each([
    ['suspended', 'was suspended', 'keep working'],
    ['published', 'was reinstated', 'can be installed again'],
    ['revoked', 'was revoked', 'The app has stopped working for good'],
  ] as const)(
    'of an app that is %s reaches the administrators of a workspace that has it',
    async (appStatus, subject, meaning) => {
      const owner = await identity.account();
      await identity.member(owner, ['member']);
      const data = { appKey: 'acme-visits', appName: 'Acme Visits', publisher: 'Acme', appStatus };
      expect(await toldBy(eventOf('app.status_changed', owner.tenantId, data))).toEqual([owner.email]);
      const { text } = await mailServer.mailTo(owner.email);
      expect(text).toContain(`Subject: The app Acme Visits ${subject}\r\n`);
      expect(text).toContain(meaning);
    },
  );

  it('has no word about a reason that was not given', async () => {
    const owner = await identity.account();
    await toldBy(decided(owner, { decision: 'approved', reason: undefined }));
    expect((await mailServer.mailTo(owner.email)).text).not.toContain('reason');
  });

  it('is told once, however often the event arrives, at two processes', async () => {
    const owner = await identity.account();
    const event = decided(owner);
    const next = decided(owner, { decision: 'approved' });
    expect(await toldBy(event, event, event, next, event, next)).toEqual([owner.email, owner.email]);
    // Again, long after its mail was sent.
    const last = decided(owner, { decision: 'published' });
    expect(await toldBy(event, next, last)).toEqual([owner.email, owner.email, owner.email]);
  });

  it('is told to nobody else by mail that could not be sent at first', async () => {
    const owner = await identity.account();
    mailServer.refusing = true;
    const event = decided(owner);
    await publishEvents(event);
    await isHandled(event);
    await waitUntil(() => mailServer.named.includes(owner.email), { timeoutMs: 20_000, describe: 'an attempt' });
    expect(mailServer.mails).toEqual([]);
    mailServer.refusing = false;
    await allIsSent(owner.tenantId);
    expect(recipients()).toEqual([owner.email]);
  });
});

describe('who submitted a version', () => {
  it('is not told when they were erased, lost the role or were disabled in the meantime; the others are', async () => {
    const owner = await identity.account();
    const admin = () => identity.member(owner, ['admin']);
    const [erased, demoted, disabled] = [await admin(), await admin(), await admin()];
    await erase(owner, erased.userId);
    await change(owner, demoted.userId, { roles: ['member'] });
    await change(owner, disabled.userId, { status: 'disabled' });
    const told = await toldBy(decided(erased), decided(demoted), decided(disabled));
    expect(told).toEqual([owner.email, owner.email, owner.email]);
  });

  it('may be a service account, which has no address', async () => {
    const owner = await identity.account();
    expect(await toldBy(decided({ ...owner, userId: newId() }))).toEqual([owner.email]);
  });

  it('loses the mail that waits for them when they are erased', async () => {
    const { owner, submitter } = await publisher();
    for (const { email } of [owner, submitter]) mailServer.recipients.set(email, '451 later');
    const event = decided(submitter);
    await publishEvents(event);
    await isHandled(event);
    expect(await waiting(owner.tenantId)).toHaveLength(2);
    await erase(owner, submitter.userId);
    expect((await waiting(owner.tenantId)).map(({ recipient }) => recipient)).toEqual([owner.email]);
  });

  it('gets none when they change while the event is handled', async () => {
    const { owner, submitter } = await publisher();
    const event = decided(submitter);
    await identity.get(Database).transaction(owner.tenantId, async (tx) => {
      await tx.query('SELECT 1 FROM app_user WHERE id = $1 FOR UPDATE', [submitter.userId]);
      await publishEvents(event);
      await waitsForAdministrator(identity);
      await tx.query("UPDATE app_user SET status = 'disabled' WHERE id = $1", [submitter.userId]);
    });
    await isHandled(event);
    await allIsSent(owner.tenantId);
    expect(recipients()).toEqual([owner.email]);
  });
});

describe('a publisher', () => {
  it('that is suspended is told all the same', async () => {
    const suspensions = await TestSuspensions.start(identity);
    try {
      const owner = await identity.account();
      await suspensions.decide('suspend', owner.tenantId);
      await allIsSent(owner.tenantId);
      mailServer.mails.length = 0;
      expect(await toldBy(decided(owner, { decision: 'revoked' }))).toEqual([owner.email]);
    } finally {
      await suspensions.close();
    }
  });

  it('that is closed, gone or not verified is told nothing, and the event is no dead letter', async () => {
    const closed = await identity.account();
    const unverified = await identity.account();
    const gone = { tenantId: newId(), userId: newId() };
    await identity.query(closed.tenantId, 'UPDATE tenant SET closed_at = now()');
    await identity.query(unverified.tenantId, 'UPDATE tenant SET verified_at = NULL');
    for (const publisher of [closed, unverified, gone]) {
      expect(await toldBy(decided(publisher))).toEqual([]);
      expect(await deadLetters(publisher.tenantId)).toEqual([]);
    }
  });

  it('with more administrators than are told has its owner and the one who submitted among them', async () => {
    const owner = await identity.account();
    await identity.query(owner.tenantId, `UPDATE tenant SET plan = 'business'`);
    await identity.query(
      owner.tenantId,
      `INSERT INTO app_user (tenant_id, id, email, name, roles, status, origin)
       SELECT $1, gen_random_uuid(), n || '@many.test', 'Admin', ARRAY['admin'], 'active', 'administrator'
         FROM generate_series(1, $2::int) n`,
      [owner.tenantId, MAX_NOTIFIED_ADMINISTRATORS],
    );
    const heir = await identity.member(owner, ['owner']);
    const submitter = await identity.member(owner, ['admin']);
    const told = await toldBy(decided(submitter));
    expect(told).toHaveLength(MAX_NOTIFIED_ADMINISTRATORS);
    expect(new Set(told).size).toBe(MAX_NOTIFIED_ADMINISTRATORS);
    expect(told).toEqual(expect.arrayContaining([owner.email, heir.email, submitter.email]));
  });
});

describe('names and reasons that someone chose to deceive', () => {
  it('break no line, lead nowhere and hide nothing in subject and text', async () => {
    const owner = await identity.account({ name: 'Acme\r\nBcc: everybody@evil.example' });
    const reason =
      'Fine.\r\n\r\nYour password has expired:\nhttps://evil.example/reset \u202Ecod.exe\u2066 a@evil.example';
    const event = decided(owner, {
      appKey: 'evil.example',
      appName: 'Visits\r\nBcc: victim@evil.example\u202E www.evil.example',
      version: '1.0.0-evil.example',
      reason: `${reason} ${'x'.repeat(2000)}`,
    });
    expect(await toldBy(event)).toEqual([owner.email]);
    const { text } = await mailServer.mailTo(owner.email);
    const [head = '', ...body] = text.split('\r\n\r\n');
    expect(head.split('\r\n').filter((line) => /^bcc:/i.test(line))).toEqual([]);
    const app = 'Visits Bcc victim evil example www evil example';
    const subject = `Subject: Version 1.0.0-evil example of the app ${app} was rejected`;
    expect(head.replace(/\r\n /g, ' ')).toContain(subject);
    const lines = body.join('\r\n\r\n').split('\r\n');
    const quoted = lines.filter((line) => line.startsWith('  '));
    const plain = /^ {2}Fine. Your password has expired: https evil example reset cod exe a evil example x+ …$/;
    expect(quoted).toEqual([expect.stringMatching(plain)]);
    expect(quoted[0]?.length).toBeLessThan(1010);
    // The only address of the mail is the platform's own, in which the key of the app stands.
    const link = 'GET http://127.0.0.1:8080/api/marketplace/developer/apps/evil.example/versions/1.0.0-evil.example';
    expect(lines).toContain(link);
    const others = lines.filter((line) => line !== link).join('\n');
    expect(others).not.toMatch(/https?:|evil\.example|@|[\u202E\u2066]/);
  });
});

describe('mail about a webhook subscription that was disabled', () => {
  let owner: Account;
  beforeAll(async () => {
    owner = await identity.account({ name: 'Acme\nLtd' });
  });

  const SUBSCRIPTION = { url: 'https://hooks.example.com/crm/s3cret', description: null, events: ['lead.*'] };
  const disabled = (createdBy: string, more: { id?: string; appKey?: string } = {}) =>
    eventOf('webhook.endpoint_disabled', owner.tenantId, {
      subscription: { id: randomUUID(), ...SUBSCRIPTION, createdBy, ...more },
      reason: 'the endpoint returned 410 Gone',
      disabledAt: new Date().toISOString(),
      heldDeliveries: 3,
    });

  it('tells who created it why, and what to do', async () => {
    const admin = await identity.member(owner, ['admin']);
    const id = randomUUID();
    await publishEvents(disabled(admin.userId, { id, appKey: 'acme-visits' }));
    const { text } = await mailServer.mailTo(admin.email);
    expect(text).toContain('Subject: Webhook subscription for hooks.example.com is disabled');
    expect(text).toContain('of the workspace Acme Ltd: the endpoint returned 410 Gone.');
    expect(text).toContain('App: acme-visits');
    expect(text).toContain('Held deliveries: 3');
    expect(text).toContain(`POST http://127.0.0.1:8080/api/webhooks/subscriptions/${id}/recover`);
    expect(text).not.toContain('s3cret');
    await allIsSent(owner.tenantId);
    expect(recipients()).toEqual([admin.email]);
  });

  it('tells the administrators when who created it can no longer do anything about it', async () => {
    const member = await identity.member(owner, ['member']);
    await publishEvents(disabled(member.userId));
    await mailServer.mailTo(owner.email);
    await allIsSent(owner.tenantId);
    expect(recipients()).toContain(owner.email);
    expect(recipients()).not.toContain(member.email);
  });

  it('is sent once, however often the event arrives', async () => {
    const id = randomUUID();
    const event = disabled(owner.userId, { id });
    const last = disabled(randomUUID());
    await publishEvents(event, event, event, last);
    await isHandled(last);
    await isHandled(event);
    await allIsSent(owner.tenantId);
    expect(mailServer.mails.filter(({ text }) => text.includes(id))).toHaveLength(1);
  });
});
