import { randomUUID } from 'node:crypto';
import { EVENTS, type EventEnvelope, eventSubject, TENANT_HEADER } from '@crm/contracts';
import { newId } from '@crm/database';
import { testNats, waitUntil } from '@crm/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstream } from '@nats-io/jetstream';
import { headers } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { type Account, TestIdentity } from './identity.js';
import { MailServer } from './mail-server.js';

describe('mail about a webhook subscription that was disabled', () => {
  let mailServer: MailServer;
  let identity: TestIdentity;
  let owner: Account;
  beforeAll(async () => {
    mailServer = await MailServer.start();
    identity = await TestIdentity.start({ smtpUrl: mailServer.url });
    owner = await identity.account({ name: 'Acme\nLtd' });
  });
  afterEach(() => {
    mailServer.mails.length = 0;
  });
  afterAll(async () => {
    await identity?.close();
    await mailServer?.close();
  });

  const disabled = (createdBy: string, subscription: { appKey?: string } = {}): EventEnvelope => ({
    specversion: '1.0',
    id: newId(),
    source: 'urn:crm:service:webhook-dispatcher',
    type: 'webhook.endpoint_disabled',
    time: new Date().toISOString(),
    datacontenttype: 'application/json',
    dataschema: EVENTS['webhook.endpoint_disabled'].dataschema,
    tenantid: owner.tenantId,
    data: {
      subscription: {
        id: randomUUID(),
        url: 'https://hooks.example.com/crm/s3cret',
        description: null,
        events: ['lead.*'],
        createdBy,
        ...subscription,
      },
      reason: 'the receiver answered 410 Gone',
      disabledAt: new Date().toISOString(),
      heldDeliveries: 3,
    },
  });
  /** As webhook-dispatcher publishes it; no `Nats-Msg-Id`, so that the broker removes no double. */
  const publish = async (...events: EventEnvelope[]) => {
    const { url, passwords } = testNats();
    const user = 'webhook-dispatcher';
    const connection = await connect({
      servers: url,
      user,
      pass: passwords[user],
      inboxPrefix: '_INBOX_webhook_dispatcher',
    });
    for (const event of events) {
      const eventHeaders = headers();
      eventHeaders.set(TENANT_HEADER, event.tenantid);
      const subject = eventSubject('webhook.endpoint_disabled', event.tenantid);
      await jetstream(connection).publish(subject, JSON.stringify(event), { headers: eventHeaders });
    }
    await connection.close();
  };
  const isHandled = (event: EventEnvelope) =>
    waitUntil(
      async () =>
        (await identity.query(owner.tenantId, 'SELECT 1 FROM inbox WHERE event_id = $1', [event.id])).length === 1,
      { timeoutMs: 10_000, describe: 'the event is handled' },
    );
  const isSent = () =>
    waitUntil(async () => (await identity.query(owner.tenantId, 'SELECT 1 FROM mail')).length === 0, {
      timeoutMs: 10_000,
      describe: 'all mail is sent',
    });
  const recipients = () => mailServer.mails.map(({ to }) => to).sort();

  it('tells who created it why, and what to do', async () => {
    const admin = await identity.member(owner, ['admin']);
    const event = disabled(admin.userId, { appKey: 'acme-visits' });
    await publish(event);
    const { text } = await mailServer.mailTo(admin.email);
    expect(text).toContain('Subject: Webhook subscription for hooks.example.com is disabled');
    expect(text).toContain('of the workspace Acme Ltd: the receiver answered 410 Gone.');
    expect(text).toContain('App: acme-visits');
    expect(text).toContain('Held deliveries: 3');
    const { id } = (event.data as { subscription: { id: string } }).subscription;
    expect(text).toContain(`POST http://127.0.0.1:8080/api/webhooks/subscriptions/${id}/recover`);
    expect(text).not.toContain('s3cret');
    await isSent();
    expect(recipients()).toEqual([admin.email]);
  });

  it('tells the administrators when who created it can no longer do anything about it', async () => {
    const member = await identity.member(owner, ['member']);
    await publish(disabled(member.userId));
    await mailServer.mailTo(owner.email);
    await isSent();
    expect(recipients()).toContain(owner.email);
    expect(recipients()).not.toContain(member.email);
  });

  it('is sent once, however often the event arrives', async () => {
    const event = disabled(owner.userId);
    const last = disabled(randomUUID());
    await publish(event, event, event, last);
    await isHandled(last);
    await isHandled(event);
    await isSent();
    const { id } = (event.data as { subscription: { id: string } }).subscription;
    expect(mailServer.mails.filter(({ text }) => text.includes(id))).toHaveLength(1);
  });
});
